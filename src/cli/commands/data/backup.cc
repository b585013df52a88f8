#include "cli/commands/data/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "cli/backup/checkpoint.h"
#include "cli/backup/pack.h"
#include "cli/backup/scratch.h"
#include "cli/backup/sync.h"
#include "cli/backup/volumes.h"
#include "cli/command_line/build_info.h"
#include "cli/command_line/output.h"
#include "cli/server/flags/server_flags.h"
#include "store/rocks/directory.h"

namespace proa::cli {
namespace backup {

constexpr size_t kMaxLabel = 4096;

// The destination of a backup: standard output, or a file that gets its name only when it is
// complete.
class Target {
 public:
  static Result<Target> open(const std::string& path) {
    if (path == "-") {
      if (::isatty(STDOUT_FILENO) != 0) {
        return Status(Reason::kInvalid,
                      "refusing to write a backup to a terminal; redirect standard output to a "
                      "file or a program");
      }
      return Target(FileDescriptor(), "standard output", "");
    }
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      return Status(Reason::kInvalid, path + " exists and is not a regular file");
    }
    std::string partial = fmt::format("{}.{}.partial", path, ::getpid());
    // It contains the cluster's private keys.
    FileDescriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.valid()) return errno_status("cannot create " + path, errno);
    return Target(std::move(file), path, std::move(partial));
  }
  ~Target() {
    if (file_.valid() && !partial_.empty()) ::unlink(partial_.c_str());
  }
  Target(Target&&) noexcept = default;
  Target& operator=(Target&&) = delete;

  int file() const { return file_.valid() ? file_.get() : STDOUT_FILENO; }
  const std::string& name() const { return name_; }
  bool is_standard_output() const { return !file_.valid() && !kept_; }

  Result<void> keep() {
    if (is_standard_output()) return {};
    TRY(sync_file(file_.get(), name_));
    if (std::rename(partial_.c_str(), name_.c_str()) != 0) {
      return errno_status("cannot create " + name_, errno);
    }
    file_ = FileDescriptor();
    kept_ = true;
    const size_t slash = name_.find_last_of('/');
    return sync_directory(slash == std::string::npos ? "." : name_.substr(0, slash + 1));
  }

 private:
  Target(FileDescriptor file, std::string name, std::string partial)
      : file_(std::move(file)), name_(std::move(name)), partial_(std::move(partial)) {}

  FileDescriptor file_;  // none for standard output, or once it is committed
  std::string name_;
  std::string partial_;
  bool kept_ = false;
};

struct Written {
  int64_t revision = 0;
  uint64_t bytes = 0;
};

Result<Written> write(const std::string& data_dir, const std::string& checkpoint,
                      const std::vector<BackupSource>& volumes, Target& target, const Clock& clock,
                      Progress& progress) {
  SystemFiles files;
  const std::string text = TRY(files.read_file(checkpoint + "/STORE", kMaxLabel));
  const store::DirectoryLabel label = TRY(store::parse_label(text));
  std::vector<BackupSource> sources = TRY(find_sources(data_dir, checkpoint));
  sources.insert(sources.end(), volumes.begin(), volumes.end());
  Manifest manifest{.version = std::string(build_info().version),
                    .revision = label.revision.value,
                    .time = format_time(clock.now())};
  manifest.files = TRY(describe_sources(sources, progress));
  ArchiveWriter archive(target.file(), target.name(), clock.now());
  TRY(write_backup(manifest, sources, archive, progress));
  TRY(target.keep());
  return Written{manifest.revision, archive.bytes()};
}

Result<VolumeArchives> take_volumes(const Settings& settings, const Clock& clock,
                                    const ScratchDirectory& scratch, Terminal& terminal) {
  if (!settings.on("volumes")) return VolumeArchives{};
  SystemFiles files;
  VolumeArchives archives =
      TRY(archive_volumes(files, clock, settings.text("data-dir"), scratch.path()));
  for (const std::string& name : archives.changed) {
    terminal.error("files of volume " + name +
                   " changed while they were read; stop its pods for a consistent copy\n");
  }
  return archives;
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const std::string& data_dir = invocation.settings.text("data-dir");
  SystemClock clock;
  SystemRandom random;
  const Steady begin = clock.steady();
  Target target = TRY(Target::open(invocation.arguments.front()));
  const auto checkpoint = TRY(take_checkpoint(data_dir, clock, random));
  // After the objects: a volume that they name has its data, unless it was deleted meanwhile.
  const ScratchDirectory scratch(data_dir, ScratchDirectory::Use::kCheckpoint, random);
  const VolumeArchives volumes = TRY(take_volumes(invocation.settings, clock, scratch, terminal));
  Progress progress(terminal, clock);
  const auto written = write(data_dir, checkpoint->path(), volumes.parts, target, clock, progress);
  if (!written.ok()) {
    // A stopping server removes its checkpoint.
    SystemFiles files;
    const auto still_there = files.exists(checkpoint->path());
    if (still_there.ok() && !*still_there) {
      return written.status().in("the server stopped during the backup; try again");
    }
    return written.status();
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - begin).count();
  const std::string with =
      invocation.settings.on("volumes") ? counted(volumes.volumes, "volume") + ", " : "";
  const std::string line = fmt::format("{}: revision {}, {}{}, taken in {} ms\n", target.name(),
                                       written->revision, with, format_bytes(written->bytes), took);
  target.is_standard_output() ? terminal.error(line) : terminal.out(line);
  return {};
}

}  // namespace backup

Command backup_command() {
  return {.name = "backup",
          .summary = "Write a backup of the cluster to one file: objects, certificates, keys.",
          .description =
              "Does not block a running server; if none runs, the store is read directly. '-' "
              "writes to standard output. The file contains the cluster's private keys: store it "
              "safely. `proa restore FILE` restores it. Data of volumes is only included with "
              "--volumes, and only that of local-path volumes in the data directory of this "
              "machine; while the backup is taken, the data directory needs space for a copy of "
              "it.",
          .arguments = {{.word = "FILE", .kind = ValueKind::kFile}},
          .flags = {data_dir_flag(),
                    {.name = "volumes",
                     .kind = ValueKind::kSwitch,
                     .fallback = "false",
                     .summary = "include the data of local-path volumes"}},
          .run = backup::run};
}

}  // namespace proa::cli
