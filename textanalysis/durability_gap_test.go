package textanalysis_test

import (
	"testing"

	"memory-mcp/textanalysis"
)

// TestPassingStatesAreRefused holds notes that were once taken for lasting.
func TestPassingStatesAreRefused(t *testing.T) {
	for _, text := range []string{
		"今天正在修复登录问题,测试还没有通过", "我正在修复登录问题,测试还没有通过", "待办:下周修复构建失败", "当前分支的测试失败了,等会再看",
		"TODO: fix the login tomorrow", "Next step is to merge PR #42",
	} {
		if d := textanalysis.ReviewDurability("", text, "architecture"); !d.Refuses() {
			t.Errorf("%q is not refused: %+v", text, d)
		}
	}
	for _, text := range []string{
		"recent-work 按当前分支过滤,不会显示其他分支的条目", "正在运行的任务由调度器每分钟检查一次", "After generating code, the next step is to run make lint.",
		"TODO comments must carry a ticket number.", "构建失败时必须先清理缓存再重试",
	} {
		if d := textanalysis.ReviewDurability("", text, "conventions"); d.Refuses() {
			t.Errorf("%q is refused: %+v", text, d)
		}
	}
}
