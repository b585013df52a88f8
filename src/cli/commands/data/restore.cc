#include "cli/commands/data/restore.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "cli/backup/place.h"
#include "cli/backup/scratch.h"
#include "cli/backup/unpack.h"
#include "cli/backup/volumes.h"
#include "cli/command_line/output.h"
#include "cli/credentials/start_hint.h"
#include "cli/server/flags/server_flags.h"
#include "store/rocks/inspect.h"

namespace proa::cli {
namespace restore {

struct Source {
  FileDescriptor opened;  // unset for standard input
  std::string name;

  int file() const { return opened.valid() ? opened.get() : STDIN_FILENO; }
};

Result<Source> open(const std::string& path) {
  if (path == "-") return Source{FileDescriptor(), "standard input"};
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno_status("opening " + path, errno);
  return Source{std::move(file), path};
}

// Keys are not in a backup.
void note_encryption(const std::string& store, Terminal& terminal) {
  const Result<store::StoreSummary> summary = store::inspect_store(store);
  if (!summary || summary->sealed == 0) return;
  terminal.out(fmt::format(
      "{} encrypted: start it with the --encryption-provider-config they were written with\n",
      summary->sealed == 1 ? "1 object is" : std::to_string(summary->sealed) + " objects are"));
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const std::string& data_dir = invocation.settings.text("data-dir");
  const WhatIsThere there =
      invocation.settings.on("force") ? WhatIsThere::kMoveAside : WhatIsThere::kRefuse;
  SystemClock clock;
  SystemFiles files;
  SystemRandom random;
  const Steady begin = clock.steady();
  const Source source = TRY(open(invocation.arguments.front()));
  TRY(check_destination(files, data_dir, there));
  // Declared before the scratch directory, which is in it.
  const NewDirectory made = TRY(NewDirectory::make(files, data_dir));
  const ScratchDirectory scratch(data_dir, ScratchDirectory::Use::kRestore, random);
  Progress progress(terminal, clock);
  const Manifest manifest =
      TRY(unpack_backup(source.file(), source.name, files, scratch.path(), progress));
  const size_t volumes = TRY(extract_volumes(files, clock, scratch.path()));
  const std::vector<std::string> aside =
      TRY(put_in_place(files, scratch.path(), data_dir, there, clock.now()));
  for (const std::string& path : aside) terminal.out("moved aside: " + path + "\n");
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - begin).count();
  terminal.out(fmt::format(
      "{}: revision {} of {}, {} in {}, restored in {} ms\n"
      "Start it with {} (--data-dir {})\n",
      data_dir, manifest.revision, manifest.time, format_bytes(manifest.bytes()),
      counted(manifest.files.size(), "file"), took, start_hint(files, data_dir), data_dir));
  note_encryption(data_dir + "/store", terminal);
  terminal.out(volumes > 0
                   ? fmt::format("{} restored in {}/{}\n", counted(volumes, "volume"), data_dir,
                                 kStorageName)
                   : "Volume data is not in the backup: volumes have what is on their node, or are "
                     "empty. `proa backup --volumes` includes it.\n");
  return {};
}

}  // namespace restore

Command restore_command() {
  return {.name = "restore",
          .summary = "Restore a backup. The server must be stopped.",
          .description =
              "Verifies FILE ('-' is standard input) completely before it changes anything. "
              "Revisions continue far above those of the backup, so that clients relist. Data of "
              "volumes is restored if the backup was taken with --volumes.",
          .arguments = {{.word = "FILE", .kind = ValueKind::kFile}},
          .flags = {data_dir_flag(),
                    {.name = "force",
                     .kind = ValueKind::kSwitch,
                     .fallback = "false",
                     .summary = "move existing data in the data directory aside"}},
          .run = restore::run};
}

}  // namespace proa::cli
