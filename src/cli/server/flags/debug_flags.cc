#include "cli/server/flags/debug_flags.h"

#include "cli/host/candidate.h"

namespace proa::cli {
namespace debug_flags_file {

constexpr std::string_view kTracingFlag = "tracing-config-file";
constexpr size_t kMaxBytes = 1 << 20;  // of a configuration

}  // namespace debug_flags_file

std::vector<Flag> debug_flags() {
  return {{.name = "profiling",
           .kind = ValueKind::kSwitch,
           .fallback = "true",
           .summary = "serve CPU and heap profiles at /debug/pprof/"},
          {.name = debug_flags_file::kTracingFlag,
           .kind = ValueKind::kFile,
           .word = "FILE",
           .fallback = {},
           .summary = "TracingConfiguration of apiserver.config.k8s.io/v1: the OpenTelemetry "
                      "collector, and how many requests are traced"}};
}

Result<std::optional<apiserver::tracing::Options>> read_tracing(const Settings& settings,
                                                                Files& files) {
  using namespace debug_flags_file;  // NOLINT: of this file only
  const std::string flag = "--" + std::string(kTracingFlag);
  const std::string& path = settings.text(kTracingFlag);
  if (path.empty()) return std::optional<apiserver::tracing::Options>();
  const Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text) return text.status().in(flag);
  const Result<apiserver::tracing::Configuration> read =
      apiserver::tracing::read_configuration(*text);
  if (!read) return read.status().in(flag + ": " + path);
  return std::optional(
      apiserver::tracing::Options{.configuration = *read, .instance = "apiserver-" + host_name()});
}

}  // namespace proa::cli
