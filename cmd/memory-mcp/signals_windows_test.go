package main_test

import "os"

func terminations() []os.Signal { return nil }
