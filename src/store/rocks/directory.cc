#include "store/rocks/directory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/strings.h"

namespace proa::store {
namespace directory {

constexpr std::string_view kTitle = "Proa store";
constexpr std::array<std::string_view, 4> kStates = {"open", "closed", "copy", "new"};

uint32_t checksum(std::string_view text) {
  // FNV-1a: a text of a hundred bytes against accidents.
  uint32_t sum = 2166136261u;
  for (const char byte : text) sum = (sum ^ static_cast<uint8_t>(byte)) * 16777619u;
  return sum;
}

std::string label_path(const std::string& path) { return path + "/STORE"; }

Status damaged(std::string_view what) {
  return {Reason::kInvalid, "the file STORE is damaged: " + std::string(what)};
}

Result<FileDescriptor> lock(const std::string& path) {
  const std::string file = path + "/STORE.lock";
  FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!descriptor.valid()) return errno_status("opening " + file, errno);
  if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (errno != EWOULDBLOCK) return errno_status("locking " + file, errno);
  return Status(Reason::kConflict,
                "the store in " + path + " is in use: stop the process that has it open");
}

}  // namespace directory

std::string open_advice(const std::string& path) {
  return "; nothing was changed: run `proa store check " + path +
         "` for details, and restore it with `proa restore FILE --force`";
}

std::string print_label(const DirectoryLabel& label) {
  std::string text = std::string(directory::kTitle) + "\nformat " + std::to_string(label.format) +
                     "\nid " + label.id + "\nstate " +
                     std::string(directory::kStates[static_cast<size_t>(label.state)]) +
                     "\nrevision " + std::to_string(label.revision.value) + "\nlog " +
                     std::to_string(label.log) + "\n";
  return text + "checksum " + std::to_string(directory::checksum(text)) + "\n";
}

Result<DirectoryLabel> parse_label(std::string_view text) {
  const size_t end = text.rfind("checksum ");
  if (!text.starts_with(directory::kTitle) || end == std::string_view::npos) {
    return directory::damaged("unknown format");
  }
  if (text.substr(end) !=
      "checksum " + std::to_string(directory::checksum(text.substr(0, end))) + "\n") {
    return directory::damaged("its checksum is wrong");
  }
  DirectoryLabel label;
  bool known_state = false;
  for (const std::string_view line : split(text.substr(0, end), '\n')) {
    const auto halves = split_once(line, ' ');
    if (!halves) continue;
    if (halves->before == "format") {
      label.format = static_cast<int>(parse_int(halves->after).value_or(0));
    } else if (halves->before == "id") {
      label.id = halves->after;
    } else if (halves->before == "revision") {
      label.revision = Revision{parse_int(halves->after).value_or(-1)};
    } else if (halves->before == "log") {
      label.log = parse_uint(halves->after).value_or(0);
    } else if (halves->before == "state") {
      for (size_t i = 0; i < directory::kStates.size(); ++i) {
        if (halves->after != directory::kStates[i]) continue;
        label.state = static_cast<DirectoryLabel::State>(i);
        known_state = true;
      }
    }
  }
  if (label.format != kStoreFormat) {
    return Status(Reason::kInvalid, "the store has format " + std::to_string(label.format) +
                                        ", this version reads format " +
                                        std::to_string(kStoreFormat) +
                                        ": use the version that wrote it");
  }
  if (!known_state || label.id.empty() || label.revision < Revision{}) {
    return directory::damaged("a line is missing");
  }
  return label;
}

Result<StoreDirectory> StoreDirectory::open(const std::string& path, Missing missing,
                                            Random& random) {
  SystemFiles files;
  if (!TRY(files.exists(path)) && missing == Missing::kRefuse) {
    return Status(Reason::kNotFound, "no store found at " + path);
  }
  if (missing == Missing::kCreate) TRY(files.make_dirs(path, 0700));
  const std::vector<std::string> names = TRY(files.list(path));
  const std::string file = directory::label_path(path);
  const bool labelled = TRY(files.exists(file));
  // An interrupted creation leaves nothing but the lock: treated as empty.
  const bool empty = names.empty() || (names.size() == 1 && names.front() == "STORE.lock");
  if (!labelled && (missing == Missing::kRefuse || !empty)) {
    return Status(Reason::kInvalid,
                  path + (empty ? " is empty: it contains no store"
                                : " is not a Proa store; pass the 'store' subdirectory of the data "
                                  "directory"));
  }
  StoreDirectory opened(path, TRY(directory::lock(path)));
  if (!labelled) {
    opened.label_ = {.format = kStoreFormat, .id = make_uid(random)};
    TRY(label(path, opened.label_));
    return opened;
  }
  const Result<DirectoryLabel> label = parse_label(TRY(files.read_file(file, 4096)));
  if (!label.ok()) {
    return Status(Reason::kInvalid,
                  "refusing to open " + path + ": " + label.status().message() + open_advice(path));
  }
  opened.label_ = *label;
  return opened;
}

Result<void> StoreDirectory::label(const std::string& path, const DirectoryLabel& label) {
  SystemFiles files;
  return files.write_file_atomic(directory::label_path(path), print_label(label), 0600);
}

Result<void> StoreDirectory::relabel(DirectoryLabel::State state, Revision revision, uint64_t log) {
  label_.state = state;
  label_.log = log;
  label_.revision = revision;
  return label(path_, label_);
}

uint64_t StoreDirectory::disk_bytes() const {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& file : std::filesystem::recursive_directory_iterator(database(), ignored)) {
    const uintmax_t size = file.is_regular_file(ignored) ? file.file_size(ignored) : 0;
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace proa::store
