package bench

func topics() []string {
	return []string{
		"architecture", "conventions", "gotchas", "decisions", "general", "modules/messaging", "modules/storage",
		"modules/gateway", "modules/billing",
	}
}

func components() []string {
	return []string{
		"upload", "cache", "queue", "scheduler", "gateway", "parser", "session", "index", "storage", "billing",
		"messaging", "renderer", "compiler", "router", "importer", "exporter", "watcher", "planner", "tokenizer",
		"migration", "notifier", "ledger", "telemetry", "archive", "balancer", "debugger", "registry", "replica",
		"search", "settings", "sandbox", "snapshot", "thumbnail", "translator", "validator", "webhook", "workspace",
		"credential", "dashboard", "formatter",
	}
}

func verbs() []string {
	return []string{
		"retries", "drops", "batches", "validates", "reorders", "deduplicates", "compresses", "encrypts", "buffers",
		"truncates", "rejects", "delays", "locks", "copies", "ignores", "rebuilds", "splits", "counts", "caches", "rewrites",
	}
}

func objects() []string {
	return []string{
		"events without an id", "requests over the limit", "empty pages", "expired tokens", "large attachments",
		"duplicate rows", "stale leases", "nested archives", "foreign keys", "renamed files", "partial writes",
		"late acknowledgements", "unsigned manifests", "time zones", "unicode names", "symbolic links", "long polls",
		"idle connections", "feature switches", "schema versions",
	}
}

func consequences() []string {
	return []string{
		"a second attempt would be counted twice", "clients see a timeout after thirty seconds",
		"the order of messages is not kept", "memory grows until the process is restarted",
		"the nightly job reports wrong totals", "two workers can hold the same lease",
		"an old reader fails on the new header", "the error hides the first cause",
		"deploys must drain the pool first", "the result depends on the locale",
		"links to removed files stay behind", "a rollback loses the last minute",
		"it is the only place that knows the secret", "reviewers ask for a benchmark",
		"the linter does not notice it", "the documentation still says the opposite",
	}
}

func technologies() []string {
	return []string{
		"go", "sqlite", "postgres", "kafka", "redis", "grpc", "protobuf", "docker", "kubernetes", "terraform", "react",
		"typescript", "rust", "wasm", "nginx", "oauth", "s3", "graphql", "bazel", "cmake",
	}
}

func chinese() []string {
	return []string{
		"上传必须经过队列", "缓存需要手动失效", "构建系统使用单一入口", "测试不能访问网络", "配置文件支持注释",
		"迁移必须可以重复执行", "日志写入标准错误", "错误信息要说明下一步", "接口返回空列表", "时间一律使用世界时",
	}
}
