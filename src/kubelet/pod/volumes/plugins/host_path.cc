#include "kubelet/pod/volumes/plugins/host_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace host_path {

struct TypeRule {
  std::string_view type = {};
  FileType wanted = FileType::kNone;
  bool create = false;
  std::string_view noun = {};
};
constexpr std::array kTypes = {
    TypeRule{.type = "Directory", .wanted = FileType::kFolder, .noun = "a directory"},
    TypeRule{.type = "DirectoryOrCreate",
             .wanted = FileType::kFolder,
             .create = true,
             .noun = "a directory"},
    TypeRule{.type = "File", .wanted = FileType::kFile, .noun = "a file"},
    TypeRule{.type = "FileOrCreate", .wanted = FileType::kFile, .create = true, .noun = "a file"},
    TypeRule{.type = "Socket", .wanted = FileType::kSocket, .noun = "a socket file"},
    TypeRule{.type = "CharDevice", .wanted = FileType::kCharacter, .noun = "a character device"},
    TypeRule{.type = "BlockDevice", .wanted = FileType::kBlock, .noun = "a block device"},
};

Result<void> create(const TypeRule& rule, const std::string& path) {
  if (rule.wanted == FileType::kFolder) return make_folders(path, 0755);
  // Whatever the path refers to by now: opening it must neither block nor give us a controlling
  // terminal.
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644));
  if (!file.valid()) return folder_failure("open", path, errno);
  return {};
}

Result<void> check(const std::string& path, std::string_view type) {
  if (type.empty()) return {};
  const auto rule = std::find_if(kTypes.begin(), kTypes.end(),
                                 [type](const TypeRule& one) { return one.type == type; });
  if (rule == kTypes.end()) {
    return Status(Reason::kBadRequest, fmt::format("{} is an invalid volume type", type));
  }
  const FileType there = file_type(path);
  if (there == FileType::kNone && rule->create) return create(*rule, path);
  if (there == rule->wanted) return {};
  return Status(Reason::kInvalid,
                fmt::format("hostPath type check failed: {} is not {}", path, rule->noun));
}

}  // namespace host_path

FileType file_type(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return FileType::kNone;
  switch (info.st_mode & S_IFMT) {
    case S_IFDIR:
      return FileType::kFolder;
    case S_IFREG:
      return FileType::kFile;
    case S_IFSOCK:
      return FileType::kSocket;
    case S_IFCHR:
      return FileType::kCharacter;
    case S_IFBLK:
      return FileType::kBlock;
    default:
      return FileType::kOther;
  }
}

bool has_backsteps(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

Result<MountedVolume> mount_host_path(const VolumeTools& /*tools*/, const VolumeRequest& request) {
  const std::string path(request.source["path"].text());
  if (has_backsteps(path) || path.find('\0') != std::string::npos) {
    return Status(Reason::kBadRequest,
                  fmt::format("invalid HostPath `{}`: must not contain '..'", path));
  }
  if (!request.persistent["mountOptions"].empty()) {
    return Status(Reason::kInvalid, "mount options are not supported for this volume type");
  }
  TRY(host_path::check(path, request.source["type"].text()));
  return MountedVolume{.path = path, .read_only = request.read_only};
}

}  // namespace proa::kubelet
