#include "cli/backup/volumes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::cli {
namespace volumes {

constexpr std::string_view kFolder = "volumes";
constexpr std::string_view kExtension = ".tar.";
// With a prefix of 36 bytes, names stay below the limit of the archive.
constexpr size_t kMaxVolumeName = 63;
// Of one volume. Far more than a disk takes to be read.
constexpr Duration kTarTimeout = std::chrono::hours(24);

// $1: the volume, $2: the prefix of its parts. tar's exit code goes into a file: in a pipe, the
// shell only reports that of the last command.
constexpr const char* kArchive =
    "{ tar --numeric-owner --xattrs --xattrs-include='*' --acls --sparse --one-file-system "
    "-C \"$1\" -cf - .; echo $? > \"$2code\"; } | split -b 4294967296 -d -a 4 - \"$2\"";
// $1: the new volume, $2: the prefix of its parts.
constexpr const char* kExtract =
    "cat \"$2\"* | tar --numeric-owner --same-owner --xattrs --xattrs-include='*' --acls "
    "-C \"$1\" -xpf -";

bool is_volume(std::string_view name) {
  return name.starts_with("pvc-") && name.size() <= kMaxVolumeName &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// The volume of a part "pvc-7f3c.tar.0000"; empty for other names.
std::string_view volume_of(std::string_view part) {
  const size_t end = part.find(kExtension);
  if (end == std::string_view::npos) return {};
  const std::string_view number = part.substr(end + kExtension.size());
  const bool numbered = number.size() == 4 &&
                        std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return numbered && is_volume(part.substr(0, end)) ? part.substr(0, end) : std::string_view();
}

Result<Outcome> run(const Clock& clock, const char* script, const std::string& volume,
                    const std::string& prefix) {
  return run_to_end({"/bin/sh", "-c", script, "sh", volume, prefix}, "", clock, kTarTimeout);
}

Status failed(std::string_view action, const std::string& volume, const std::string& output) {
  return {Reason::kInternalError,
          std::string(action) + " volume " + volume + ": " + std::string(trim(output))};
}

// Returns whether files changed meanwhile.
Result<bool> archive(Files& files, const Clock& clock, const std::string& volume,
                     const std::string& prefix) {
  constexpr size_t kMaxCode = 16;
  const Outcome outcome = TRY(run(clock, kArchive, volume, prefix));
  const auto code = files.read_file(prefix + "code", kMaxCode);
  if (outcome.exit_code != 0 || !code.ok()) return failed("archiving", volume, outcome.output);
  const std::string_view number = trim(*code);
  // 1: some files differ from what was read first.
  if (number != "0" && number != "1") return failed("archiving", volume, outcome.output);
  TRY(files.remove(prefix + "code"));
  return number == "1";
}

Result<void> sync_all(const std::string& directory) {
  const FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return errno_status("opening " + directory, errno);
  if (::syncfs(folder.get()) != 0) return errno_status("syncing " + directory, errno);
  return {};
}

}  // namespace volumes

bool is_volume_part(std::string_view name) {
  const auto halves = split_once(name, '/');
  return halves && halves->before == volumes::kFolder && !volumes::volume_of(halves->after).empty();
}

Result<VolumeArchives> archive_volumes(Files& files, const Clock& clock,
                                       const std::string& data_dir, const std::string& directory) {
  VolumeArchives made;
  const std::string storage = data_dir + "/" + std::string(kStorageName);
  const auto names = files.list(storage);
  if (names.is(Reason::kNotFound)) return made;
  if (!names.ok()) return names.status();
  TRY(files.make_dirs(directory, 0700));
  for (const std::string& name : *names) {
    if (!volumes::is_volume(name)) continue;
    const std::string prefix = directory + "/" + name + std::string(volumes::kExtension);
    const bool changed = TRY(volumes::archive(files, clock, storage + "/" + name, prefix));
    if (changed) made.changed.push_back(name);
    ++made.volumes;
  }
  for (const std::string& part : TRY(files.list(directory))) {
    if (volumes::volume_of(part).empty()) continue;
    made.parts.push_back({std::string(volumes::kFolder) + "/" + part, directory + "/" + part});
  }
  return made;
}

Result<size_t> extract_volumes(Files& files, const Clock& clock, const std::string& directory) {
  const std::string folder = directory + "/" + std::string(volumes::kFolder);
  const auto parts = files.list(folder);
  if (parts.is(Reason::kNotFound)) return size_t{0};
  if (!parts.ok()) return parts.status();
  std::set<std::string> names;
  for (const std::string& part : *parts) names.emplace(volumes::volume_of(part));
  const std::string storage = directory + "/" + std::string(kStorageName);
  for (const std::string& name : names) {
    const std::string volume = storage + "/" + name;
    TRY(files.make_dirs(volume, 0700));
    const Outcome outcome = TRY(volumes::run(
        clock, volumes::kExtract, volume, folder + "/" + name + std::string(volumes::kExtension)));
    if (outcome.exit_code != 0) return volumes::failed("extracting", name, outcome.output);
  }
  TRY(volumes::sync_all(storage));
  return names.size();
}

}  // namespace proa::cli
