#include "kubelet/pod/environment/variable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/files.h"

namespace proa::kubelet {
namespace variable_file {

// More than a program could be given as its environment.
constexpr size_t kMaxFile = size_t{4} << 20;
// The maximum line length of upstream's reader.
constexpr size_t kMaxLine = size_t{64} << 10;

Status bad(size_t line, std::string_view what) {
  return {Reason::kBadRequest,
          fmt::format("invalid environment variable format at line {}: {}", line, what)};
}

std::string_view without_indent(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // Nothing at the end; kBadRequest when one is too long.
  Result<std::optional<std::string_view>> next() {
    if (rest_.empty()) return std::optional<std::string_view>();
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (line.size() >= kMaxLine) return bad(number_, "line is too long");
    if (line.ends_with('\r')) line.remove_suffix(1);
    return std::optional<std::string_view>(line);
  }
  size_t number() const { return number_; }

 private:
  std::string_view rest_;
  size_t number_ = 0;
};

// The text between the opening and the closing quote.
Result<std::string> quoted_value(Lines& lines, std::string_view rest) {
  const size_t start = lines.number();
  std::string value;
  while (true) {
    const size_t quote = rest.find('\'');
    if (quote != std::string_view::npos) {
      value += rest.substr(0, quote);
      const std::string_view after = without_indent(rest.substr(quote + 1));
      if (after.empty() || after.starts_with('#')) return value;
      return bad(lines.number(), "unexpected content after closing quote");
    }
    value += rest;
    value += '\n';
    const std::optional<std::string_view> next = TRY(lines.next());
    if (!next) {
      return Status(Reason::kBadRequest,
                    fmt::format("invalid environment variable format starting at line {}: "
                                "unclosed single quote",
                                start));
    }
    rest = *next;
  }
}

Result<FileDescriptor> open_in(const std::string& root, const std::string& path) {
  if (path.find('\0') != std::string::npos) return errno_status("opening an env file", EINVAL);
  const FileDescriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return errno_status("opening a volume", errno);
  open_how how{};
  // A pipe would wait for a writer.
  how.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long number = ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof(how));
  if (number < 0) return errno_status("opening an env file", errno);
  return FileDescriptor(static_cast<int>(number));
}

}  // namespace variable_file

Result<std::string> find_in_variable_file(std::string_view text, std::string_view key) {
  variable_file::Lines lines(text);
  while (true) {
    const std::optional<std::string_view> next = TRY(lines.next());
    if (!next) return std::string();
    const std::string_view line = variable_file::without_indent(*next);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t sign = line.find('=');
    if (sign == std::string_view::npos) return variable_file::bad(lines.number(), "missing '='");
    const std::string_view name = line.substr(0, sign);
    if (variable_file::without_indent(name).empty()) {
      return variable_file::bad(lines.number(), "empty variable name");
    }
    if (name.ends_with(' ') || name.ends_with('\t')) {
      return variable_file::bad(lines.number(), "whitespace before '=' is not allowed");
    }
    const std::string_view value = line.substr(sign + 1);
    if (value.starts_with(' ') || value.starts_with('\t')) {
      // As shells read it: an empty value, and whatever follows is a command.
      if (name == key) return std::string();
      continue;
    }
    if (!value.starts_with('\'')) {
      return variable_file::bad(lines.number(), "value must be enclosed in single quotes");
    }
    std::string found = TRY(variable_file::quoted_value(lines, value.substr(1)));
    if (name == key) return found;
  }
}

Result<std::string> read_variable_file(const std::string& root, const std::string& path) {
  const FileDescriptor file = TRY(variable_file::open_in(root, path));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0)
    return errno_status("reading the state of an env file", errno);
  if (!S_ISREG(info.st_mode)) return Status(Reason::kBadRequest, "not a regular file");
  std::string text;
  while (true) {
    const size_t length = text.size();
    text.resize(length + variable_file::kMaxLine);
    const ssize_t got = ::read(file.get(), text.data() + length, variable_file::kMaxLine);
    text.resize(length + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return errno_status("reading an env file", errno);
    if (text.size() > variable_file::kMaxFile) {
      return Status(Reason::kRequestEntityTooLarge, "env file is too large");
    }
  }
}

}  // namespace proa::kubelet
