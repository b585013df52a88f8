#include "cli/scheduler/scheduler_flags.h"

#include "scheduler/config/read_config.h"

namespace proa::cli {

Flag scheduler_config_flag() {
  return {.name = "scheduler-config",
          .kind = ValueKind::kFile,
          .word = "FILE",
          .summary = "KubeSchedulerConfiguration, YAML or JSON"};
}

Flag kubeconfig_flag() {
  return {.name = "kubeconfig",
          .kind = ValueKind::kFile,
          .word = "FILE",
          .summary = "kubeconfig of the API server and user"};
}

std::vector<Flag> scheduler_flags() {
  return {{.name = "scheduler",
           .kind = ValueKind::kSwitch,
           .fallback = "true",
           .summary = "run the scheduler; --scheduler=false if another process does"},
          scheduler_config_flag()};
}

Result<scheduler::SchedulerConfig> read_scheduler_config(const Settings& settings, Files& files) {
  constexpr size_t kMaxBytes = 1024 * 1024;
  const std::string& path = settings.text("scheduler-config");
  if (path.empty()) return scheduler::default_config();
  const Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text) return text.status().in("--scheduler-config");
  Result<scheduler::SchedulerConfig> config = scheduler::read_config(*text);
  if (!config) return config.status().in("--scheduler-config " + path);
  return config;
}

}  // namespace proa::cli
