package hook

import (
	"os"
	"os/exec"
)

// Detach starts a program that outlives this one and its host: in a session of
// its own, with none of our open files, standing in a folder that nobody wants
// to remove. It does not wait for it.
func Detach(program string, args, environment []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close() // nothing was written
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, null, null
	cmd.Env = environment
	cmd.Dir = rootFolder()
	if err := alone(cmd); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
