// Package judge asks how two memories stand to each other.
//
// A [Judge] puts a question with a few possible answers to a [Chooser]: a
// language model ([Model]) or a service that does nothing else ([Service]). Its
// verdicts are cached for a process by the memories' ids and revisions.
//
// What it promises: a verdict can only withhold or regroup what is there
// ([Together], [Review], [Older]); none makes a memory more certain. Whoever
// asks does without when there is an error.
package judge
