package sidecar

import (
	"os/exec"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job: all that a program starts, ended when its handle is closed,
// also by the end of this process.
type group struct {
	mu  sync.Mutex
	job windows.Handle // 0 when it is over
}

func (g *group) start(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		windows.CloseHandle(job) // nothing is in it
		return err
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, p)
		windows.CloseHandle(p) // the job holds the process
	}
	if err != nil {
		cmd.Process.Kill() // it is not to run outside the job
		windows.CloseHandle(job)
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.job = job
	return nil
}

// ask tells that a program without a window cannot be asked to end.
func (g *group) ask() bool { return false }

func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		return
	}
	if err := windows.TerminateJobObject(g.job, 1); err != nil {
		return // all are gone already
	}
}

// end ends what a program that is gone has left behind.
func (g *group) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	windows.CloseHandle(g.job) // which ends all in it
	g.job = 0
}

// lockThread is for systems where a process dies with the thread that started it.
func lockThread() {}

// memoryOf is not told here.
func memoryOf(int) (int64, bool) { return 0, false }
