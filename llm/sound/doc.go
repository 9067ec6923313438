// Package sound reads recordings as a speech model wants them: one channel of
// samples between -1 and 1, [Rate] of them a second.
//
// [Open] knows a recording by its first bytes, not by its name: WAV, FLAC, MP3,
// and Ogg with Vorbis or Opus. A [Reader] decodes, mixes and resamples while it
// reads, and [Reader.Windows] cuts what it reads where it is quiet, so that
// hours of sound need no more memory than a minute.
//
// What it promises: a tone keeps its pitch, and what lies above half of [Rate]
// is gone instead of being folded down; a file that was cut short is read as
// far as it goes, and says so; a broken one is an error that tells where, never
// a panic.
package sound
