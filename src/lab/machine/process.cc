#include "lab/machine/process.h"

#include "base/strings.h"

namespace proa::lab {
namespace process {

constexpr size_t kMaxBytes = 128;

}  // namespace process

Result<void> write_process(Files& files, const std::string& path, const ProcessHandle& process) {
  return files.write_file_atomic(
      path, std::to_string(process.pid()) + " " + std::to_string(process.start_time()) + "\n",
      0644);
}

Result<ProcessHandle> find_process(int64_t id, uint64_t start_time) {
  ProcessHandle found = TRY(ProcessHandle::open(static_cast<pid_t>(id)));
  if (found.has_ended() || found.start_time() != start_time) {
    return Status(Reason::kNotFound, "process " + std::to_string(id) + " has ended");
  }
  return found;
}

Result<ProcessHandle> find_process(Files& files, const std::string& path) {
  const std::string text = TRY(files.read_file(path, process::kMaxBytes));
  const auto halves = split_once(trim(text), ' ');
  const auto id = halves ? parse_int(halves->before) : std::nullopt;
  const auto start = halves ? parse_uint(halves->after) : std::nullopt;
  if (!id || *id <= 0 || !start) return Status(Reason::kNotFound, path + " names no process");
  return find_process(*id, *start);
}

}  // namespace proa::lab
