#include "kubelet/node/server/system_logs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace system_logs {

constexpr size_t kChunk = 64 * 1024;
// Of one page; folders of logs are small.
constexpr size_t kMostNames = 10'000;

// A file as it is, to its end.
class WholeFile final : public LogText {
 public:
  explicit WholeFile(FileDescriptor file) : file_(std::move(file)) {}

  Result<std::optional<std::string>> next(const Until& /*until*/) override {
    std::string chunk(kChunk, '\0');
    const ssize_t count = ::read(file_.get(), chunk.data(), chunk.size());
    if (count < 0) return errno_status("reading a log of the system", errno);
    if (count == 0) return std::optional<std::string>();
    chunk.resize(static_cast<size_t>(count));
    return std::optional(std::move(chunk));
  }

 private:
  const FileDescriptor file_;
};

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '&':
        made += "&amp;";
        break;
      case '"':
        made += "&#34;";
        break;
      case '\'':
        made += "&#39;";
        break;
      default:
        made += c;
    }
  }
  return made;
}

Result<std::string> page_of(int folder) {
  std::vector<std::pair<std::string, std::string_view>> names;  // and what they end with
  TRY(each_name(folder, [&](const char* name) {
    struct stat found {};
    const bool is_folder = ::fstatat(folder, name, &found, 0) == 0 && S_ISDIR(found.st_mode);
    names.emplace_back(name, is_folder ? "/" : "");
    return names.size() < kMostNames;
  }));
  std::ranges::sort(names);
  std::string page = "<!doctype html>\n<pre>\n";
  for (const auto& [name, end] : names) {
    page += fmt::format("<a href=\"{0}{2}\">{1}{2}</a>\n", http::percent_encode(name),
                        escaped(name), end);
  }
  return page + "</pre>\n";
}

}  // namespace system_logs

Result<SystemLog> open_system_log(const std::string& folder, std::span<const std::string> parts) {
  const Status missing(Reason::kNotFound, "404 page not found\n");
  std::string path = ".";
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!is_file_name(part)) return missing;
    path += "/" + part;
  }
  const auto root = open_folder(folder);
  if (!root.ok()) return root.is(Reason::kNotFound) ? missing : root.status();
  // Opening a pipe would wait for its other end.
  FileDescriptor found(open_inside(root->get(), path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY,
                                   Steps::kLinksInside));
  struct stat kind {};
  if (!found.valid() || ::fstat(found.get(), &kind) != 0) return missing;
  if (S_ISDIR(kind.st_mode)) return SystemLog{.page = TRY(system_logs::page_of(found.get()))};
  if (!S_ISREG(kind.st_mode)) return missing;
  return SystemLog{.file = std::make_unique<system_logs::WholeFile>(std::move(found))};
}

}  // namespace proa::kubelet
