#include "cli/backup/pack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>

#include "base/files.h"
#include "crypto/digest.h"

namespace proa::cli {
namespace pack {

constexpr size_t kPart = 1u << 20;

Result<void> for_each_part(const std::string& path,
                           const std::function<Result<void>(std::string_view)>& take) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno_status("opening " + path, errno);
  std::string buffer(kPart, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_status("reading " + path, errno);
    if (got == 0) return {};
    TRY(take(std::string_view(buffer).substr(0, static_cast<size_t>(got))));
  }
}

Result<uint64_t> size_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno_status("checking " + path, errno);
  return static_cast<uint64_t>(info.st_size);
}

// All files below a folder, sorted by name. Follows symbolic links.
Result<void> add_folder(const std::string& path, const std::string& name,
                        std::vector<BackupSource>& sources) {
  SystemFiles files;
  for (const std::string& entry : TRY(files.list(path))) {
    const std::string entry_path = path + "/" + entry;
    const std::string entry_name = name + "/" + entry;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(entry_path, error);
    if (std::filesystem::is_directory(status)) {
      TRY(add_folder(entry_path, entry_name, sources));
    } else if (std::filesystem::is_regular_file(status) && is_backup_name(entry_name)) {
      sources.push_back({entry_name, entry_path});
    } else {
      return Status(Reason::kInvalid, entry_path +
                                          " cannot be backed up: not a regular file, or its name "
                                          "is invalid or too long; move it elsewhere");
    }
  }
  return {};
}

Status changed(const BackupSource& source) {
  return {Reason::kConflict, source.path + " changed while it was read; try again"};
}

Result<void> copy(const BackupSource& source, const BackupFile& file, ArchiveWriter& archive,
                  Progress& progress) {
  TRY(archive.begin({.name = file.name, .size = file.size, .mode = mode_of(file.name)}));
  crypto::Sha256 sum;
  uint64_t left = file.size;
  TRY(for_each_part(source.path, [&](std::string_view part) -> Result<void> {
    if (part.size() > left) return changed(source);
    left -= part.size();
    sum.add(part);
    progress.add(part.size());
    return archive.write(part);
  }));
  if (left > 0 || sum.finish().hex() != file.sha256) return changed(source);
  return {};
}

}  // namespace pack

Result<std::vector<BackupSource>> find_sources(const std::string& data_dir,
                                               const std::string& checkpoint) {
  std::vector<BackupSource> sources;
  TRY(pack::add_folder(data_dir + "/tls", "tls", sources));
  SystemFiles files;
  const std::string kubeconfig = data_dir + "/" + std::string(kKubeconfigName);
  // Not written if the server never started to listen.
  const bool has_kubeconfig = TRY(files.exists(kubeconfig));
  if (has_kubeconfig) sources.push_back({std::string(kKubeconfigName), kubeconfig});
  TRY(pack::add_folder(checkpoint, "store", sources));
  return sources;
}

Result<std::vector<BackupFile>> describe_sources(std::span<const BackupSource> sources,
                                                 Progress& progress) {
  std::vector<BackupFile> described;
  uint64_t total = 0;
  for (const BackupSource& source : sources) {
    const uint64_t size = TRY(pack::size_of(source.path));
    described.push_back({.name = source.name, .size = size});
    total += size;
  }
  progress.begin("reading", total);
  for (size_t i = 0; i < sources.size(); ++i) {
    crypto::Sha256 sum;
    uint64_t size = 0;
    TRY(pack::for_each_part(sources[i].path, [&](std::string_view part) -> Result<void> {
      sum.add(part);
      size += part.size();
      progress.add(part.size());
      return {};
    }));
    described[i].size = size;
    described[i].sha256 = sum.finish().hex();
  }
  return described;
}

Result<void> write_backup(const Manifest& manifest, std::span<const BackupSource> sources,
                          ArchiveWriter& archive, Progress& progress) {
  const std::string text = print_manifest(manifest);
  TRY(archive.begin({.name = std::string(kManifestName), .size = text.size()}));
  TRY(archive.write(text));
  progress.begin("writing", manifest.bytes());
  for (size_t i = 0; i < sources.size(); ++i) {
    TRY(pack::copy(sources[i], manifest.files[i], archive, progress));
  }
  return archive.finish();
}

}  // namespace proa::cli
