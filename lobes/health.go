package lobes

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"memory-mcp/lobes/repo"
	"memory-mcp/store"
)

// remedy is what a person can do about a lobe that cannot be read.
func (l *Lobe) remedy(err error) []string {
	var (
		newer    *store.NewerFormatError
		foreign  *repo.NotOwnedError
		gitFile  *repo.GitFileError
		home     *repo.UnsuitableError
		pathName = l.spec.Dir
	)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		pathName = path.Path
	}
	switch {
	case errors.As(err, &newer):
		return []string{fmt.Sprintf("update memory-mcp: %s was written by a newer version", newer.Path)}
	case errors.As(err, &foreign):
		return []string{fmt.Sprintf("if you trust its owner, add %q to trustedRoots in memory-config.json", foreign.Path)}
	case errors.As(err, &gitFile):
		return []string{fmt.Sprintf("look at %s: git itself may refuse it too (git status)", gitFile.Path)}
	case errors.As(err, &home):
		return []string{"set the lobe's root to the folder of one project"}
	case errors.Is(err, fs.ErrPermission):
		return []string{fmt.Sprintf("make %s readable for you (ls -ld %s)", pathName, pathName)}
	case errors.Is(err, syscall.ENOTDIR):
		return []string{fmt.Sprintf("a file is where a folder should be: move %s away", pathName)}
	case errors.Is(err, fs.ErrNotExist):
		return []string{fmt.Sprintf("%s does not exist: correct the lobe's root in memory-config.json, or mount the disk that it is on", pathName)}
	}
	return []string{fmt.Sprintf("look at %s", pathName)}
}

func vanishedCause(count int) string {
	return fmt.Sprintf("%d entries vanished at once", count)
}

func vanishedRemedy(lobe string) []string {
	return []string{
		fmt.Sprintf("memory-mcp restore --vanished --lobe %s   brings them back from the history", lobe),
		fmt.Sprintf("memory-mcp forget --vanished --lobe %s    if they were deleted on purpose", lobe),
	}
}
