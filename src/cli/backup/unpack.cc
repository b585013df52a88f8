#include "cli/backup/unpack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "cli/backup/archive.h"
#include "cli/backup/sync.h"
#include "crypto/digest.h"
#include "store/rocks/directory.h"
#include "store/rocks/inspect.h"

namespace proa::cli {
namespace unpack {

constexpr size_t kPart = 1u << 20;
constexpr size_t kMaxLabel = 4096;

Status refused(const std::string& what, std::string_view why) {
  return {Reason::kInvalid, fmt::format("{} cannot be restored: {}", what, why)};
}

Result<Manifest> read_manifest(ArchiveReader& archive) {
  const auto first = TRY(archive.next());
  if (!first || first->name != kManifestName) {
    return Status(Reason::kInvalid, fmt::format("it does not begin with {}", kManifestName));
  }
  if (first->size > kMaxManifestBytes) {
    return Status(Reason::kInvalid, fmt::format("{} is too large", kManifestName));
  }
  std::string text(static_cast<size_t>(first->size), '\0');
  TRY(archive.read(text));
  auto manifest = parse_manifest(text);
  if (!manifest) return Status(Reason::kInvalid, manifest.status().message());
  return manifest;
}

Result<void> write_all(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_status("writing " + path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// REQUIRES: is_backup_name(file.name).
Result<void> unpack_file(const BackupFile& file, ArchiveReader& archive, Files& files,
                         const std::string& directory, Progress& progress) {
  const std::string path = directory + "/" + file.name;
  TRY(files.make_dirs(path.substr(0, path.find_last_of('/')), 0700));
  const FileDescriptor opened = TRY(files.open_beneath(
      directory, file.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode_of(file.name)));
  crypto::Sha256 sum;
  std::string buffer(kPart, '\0');
  while (true) {
    const std::string_view part = TRY(archive.read(buffer));
    if (part.empty()) break;
    sum.add(part);
    TRY(write_all(opened.get(), path, part));
    progress.add(part.size());
  }
  if (sum.finish().hex() != file.sha256) {
    return Status(Reason::kInvalid, file.name + " has a wrong checksum");
  }
  return sync_file(opened.get(), path);
}

Result<void> unpack_files(const Manifest& manifest, ArchiveReader& archive, Files& files,
                          const std::string& directory, Progress& progress) {
  for (const BackupFile& file : manifest.files) {
    const auto member = TRY(archive.next());
    if (!member || member->name != file.name || member->size != file.size) {
      return Status(Reason::kInvalid,
                    "the backup does not contain " + file.name + " where it should");
    }
    TRY(unpack_file(file, archive, files, directory, progress));
  }
  const auto more = TRY(archive.next());
  if (more)
    return Status(Reason::kInvalid,
                  "the backup contains a file that its manifest does not list: " + more->name);
  return {};
}

// Only a checkpoint continues with revisions that the original cannot have used.
Result<void> check_copy(Files& files, const std::string& store) {
  const std::string text = TRY(files.read_file(store + "/STORE", kMaxLabel));
  const store::DirectoryLabel label = TRY(store::parse_label(text));
  if (label.state != store::DirectoryLabel::State::kCopy) {
    return Status(Reason::kInvalid, "the backup's store is not a valid checkpoint");
  }
  const std::vector<std::string> complaints = TRY(store::check_store(store)).damage;
  if (!complaints.empty()) return Status(Reason::kInvalid, complaints.front());
  return {};
}

}  // namespace unpack

Result<Manifest> unpack_backup(int file, const std::string& what, Files& files,
                               const std::string& directory, Progress& progress) {
  ArchiveReader archive(file, what);
  Result<Manifest> manifest = unpack::read_manifest(archive);
  if (manifest.is(Reason::kInvalid)) return unpack::refused(what, manifest.status().message());
  if (!manifest) return manifest;
  TRY(files.make_dirs(directory, 0700));
  progress.begin("unpacking", manifest->bytes());
  const Result<void> unpacked =
      unpack::unpack_files(*manifest, archive, files, directory, progress);
  if (unpacked.is(Reason::kInvalid)) return unpack::refused(what, unpacked.status().message());
  if (!unpacked.ok()) return unpacked.status();
  const Result<void> checked = unpack::check_copy(files, directory + "/store");
  if (!checked.ok()) return unpack::refused(what, checked.status().message());
  TRY(sync_directories(directory));
  return manifest;
}

}  // namespace proa::cli
