#include "kubelet/node/server/log_files.h"

#include "kubelet/runtime/logs/log_reader.h"

namespace proa::kubelet {
namespace log_files {

constexpr Duration kPatience = std::chrono::seconds(10);

class LogFile final : public LogText {
 public:
  explicit LogFile(std::unique_ptr<LogReader> reader) : reader_(std::move(reader)) {}

  Result<std::optional<std::string>> next(const Until& until) override {
    const std::optional<Bytes> part = TRY(reader_->next(until));
    if (!part) return std::optional<std::string>();
    if (part->empty()) return Status(Reason::kTimeout, "no new log lines");
    return std::optional<std::string>(part->view());
  }

 private:
  const std::unique_ptr<LogReader> reader_;
};

LogOptions options_of(const LogQuery& query) {
  LogOptions options{.follow = query.follow,
                     .tail_lines = query.tail_lines,
                     .limit_bytes = query.limit_bytes,
                     .since = query.since.value_or(Time::min()),
                     .timestamps = query.timestamps};
  if (query.streams == LogStreams::kOutput) options.stream = LogStream::kStdout;
  if (query.streams == LogStreams::kErrors) options.stream = LogStream::kStderr;
  return options;
}

}  // namespace log_files

LogOpener open_log_files(Clock& clock, Files& files, cri::Runtime& runtime, const Paths& paths) {
  return [&clock, &files, &runtime, &paths](
             const LogPlace& place, const LogQuery& query) -> Result<std::unique_ptr<LogText>> {
    const cri::Container container =
        TRY(runtime.container(place.container_id, Until::after(clock, log_files::kPatience)));
    const std::string folder =
        paths.pod_logs(place.pod->name_space(), place.pod->name(), place.pod->uid());
    const std::string path = folder.substr(paths.logs().size() + 1) + "/" +
                             Paths::log_file(place.container, container.attempt);
    const auto is_running = [&clock, &runtime, id = place.container_id] {
      const Result<cri::Container> now =
          runtime.container(id, Until::after(clock, log_files::kPatience));
      return now.ok() && now->state == cri::ContainerState::kRunning;
    };
    std::unique_ptr<LogReader> reader =
        TRY(LogReader::open({.clock = clock, .files = files, .is_running = is_running},
                            paths.logs(), path, log_files::options_of(query)));
    return std::unique_ptr<LogText>(std::make_unique<log_files::LogFile>(std::move(reader)));
  };
}

}  // namespace proa::kubelet
