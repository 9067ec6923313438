package repo

import (
	"syscall"
	"time"
)

func changeTime(st *syscall.Stat_t) time.Time {
	return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
}
