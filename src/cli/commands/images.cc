#include "cli/commands/images.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/process/spawn.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/credentials/start_hint.h"
#include "cli/host/rights.h"
#include "cli/node/foreign_runtime.h"
#include "cli/server/flags/server_flags.h"
#include "kubelet/runtime/containerd/socket_check.h"
#include "kubelet/runtime/cri/cri_runtime.h"

namespace proa::cli {
namespace images {

using kubelet::cri::Image;

constexpr Duration kCallTimeout = std::chrono::minutes(1);
// Archives of several gigabytes are unpacked from slow disks.
constexpr Duration kImportTimeout = std::chrono::hours(1);

// The runtime of a data directory's node.
class NodeRuntime {
 public:
  static Result<std::unique_ptr<NodeRuntime>> open(const Settings& settings) {
    TRY(require_root("managing images"));
    SystemFiles files;
    const NodePaths place = TRY(find_node_paths(settings.text("data-dir")));
    std::string socket = foreign_runtime_of(files, place);
    if (socket.empty()) socket = place.socket;
    if (!kubelet::who_listens(socket)) {
      return Status(Reason::kServiceUnavailable,
                    "no container runtime listens on " + socket + "; start " +
                        runtime_start_hint(files, place.data_dir) + ", or pass another --data-dir");
    }
    return std::unique_ptr<NodeRuntime>(new NodeRuntime(std::move(socket)));
  }

  kubelet::cri::Runtime& operator*() { return *runtime_; }
  kubelet::cri::Runtime* operator->() { return runtime_.get(); }
  const std::string& socket() const { return socket_; }
  Clock& clock() { return clock_; }
  Until until() { return Until::after(clock_, kCallTimeout); }

 private:
  explicit NodeRuntime(std::string socket)
      : socket_(std::move(socket)), runtime_(kubelet::cri::connect_runtime(http_, socket_)) {}

  const std::string socket_;
  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Client http_{loops_, clock_, {}};
  std::unique_ptr<kubelet::cri::Runtime> runtime_;
};

// One row per tag; images without one are named by their digest.
struct Row {
  std::string name;
  std::string id;
  int64_t bytes = 0;
};

std::vector<Row> rows_of(const std::vector<Image>& images) {
  std::vector<Row> rows;
  for (const Image& image : images) {
    std::vector<std::string> names = image.tags.empty() ? image.digests : image.tags;
    if (names.empty()) names.push_back(image.id);
    for (std::string& name : names) rows.push_back({std::move(name), image.id, image.size});
  }
  std::ranges::sort(rows, {}, &Row::name);
  return rows;
}

std::string table(const std::vector<Row>& rows) {
  constexpr std::string_view kDigest = "sha256:";
  constexpr size_t kShortId = 13;
  size_t width = 5;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  std::string text =
      fmt::format("{:<{}}  {:<{}}  {:>10}\n", "IMAGE", width, "ID", kShortId, "SIZE");
  for (const Row& row : rows) {
    std::string_view id = row.id;
    if (id.starts_with(kDigest)) id.remove_prefix(kDigest.size());
    text += fmt::format("{:<{}}  {:<{}}  {:>10}\n", row.name, width, id.substr(0, kShortId),
                        kShortId, format_bytes(static_cast<uint64_t>(row.bytes)));
  }
  return text;
}

json::Document document_of(const std::vector<Row>& rows) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value list = json::Value::array();
  for (const Row& row : rows) {
    json::Value one = json::Value::object();
    one.set(arena, "name", json::Value::string(arena, row.name));
    one.set(arena, "id", json::Value::string(arena, row.id));
    one.set(arena, "bytes", json::Value::integer(row.bytes));
    list.push_back(arena, std::move(one));
  }
  document.root() = json::Value::object();
  document.root().set(arena, "images", std::move(list));
  return document;
}

Result<void> list(const Invocation& invocation, Terminal& terminal) {
  const auto runtime = TRY(NodeRuntime::open(invocation.settings));
  const std::vector<Row> rows = rows_of(TRY((*runtime)->images(runtime->until())));
  const std::string& output = invocation.settings.text("output");
  terminal.out(output == "text" ? table(rows) : format_value(document_of(rows).root(), output));
  return {};
}

Result<std::string> installed(const char* program, const char* package) {
  auto path = find_program(program);
  if (path) return std::move(*path);
  return Status(Reason::kNotFound,
                fmt::format("{} is not installed; install the package {}", program, package));
}

// An archive that is imported: a file, or standard input.
struct Archive {
  FileDescriptor file = {};
  bool is_compressed = false;

  int descriptor() const { return file.valid() ? file.get() : STDIN_FILENO; }
};

Result<Archive> open_archive(const std::string& path) {
  if (path == "-") {
    if (isatty(STDIN_FILENO) != 0) {
      return Status(Reason::kBadRequest,
                    "standard input is a terminal; for example: docker save IMAGE | proa images "
                    "import -");
    }
    return Archive{.is_compressed = true};  // perhaps; gzip passes on what is not
  }
  Archive archive{.file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  if (!archive.file.valid()) return errno_status("opening " + path, errno);
  unsigned char magic[2] = {};
  const bool read = ::pread(archive.file.get(), magic, sizeof magic, 0) == sizeof magic;
  archive.is_compressed = read && magic[0] == 0x1f && magic[1] == 0x8b;
  return archive;
}

Result<void> import_archive(NodeRuntime& runtime, const std::string& path, Terminal& terminal) {
  const Archive archive = TRY(open_archive(path));
  const std::string ctr = TRY(installed("ctr", "containerd"));
  std::vector<std::string> words{ctr,      "--address", runtime.socket(), "--namespace",
                                 "k8s.io", "images",    "import"};
  words.push_back(archive.is_compressed ? "-" : path);
  Outcome outcome;
  if (archive.is_compressed) {
    const std::string gzip = TRY(installed("gzip", "gzip"));
    outcome = TRY(
        run_filtered({gzip, "-dcf"}, words, archive.descriptor(), runtime.clock(), kImportTimeout));
  } else {
    outcome = TRY(run_to_end(words, "", runtime.clock(), kImportTimeout));
  }
  const std::string name = path == "-" ? "standard input" : path;
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError,
                  "importing " + name + ": " + std::string(trim(outcome.output)));
  }
  const std::vector<std::string> names = imported_names(outcome.output);
  for (const std::string& one : names) terminal.out(one + " imported\n");
  if (names.empty()) terminal.out(name + " imported\n");
  return {};
}

Result<void> import(const Invocation& invocation, Terminal& terminal) {
  const auto runtime = TRY(NodeRuntime::open(invocation.settings));
  for (const std::string& path : invocation.arguments) {
    TRY(import_archive(*runtime, path, terminal));
  }
  return {};
}

Result<void> remove(const Invocation& invocation, Terminal& terminal) {
  const auto runtime = TRY(NodeRuntime::open(invocation.settings));
  for (const std::string& name : invocation.arguments) {
    const std::optional<Image> image = TRY((*runtime)->image(name, runtime->until()));
    if (!image) {
      return Status(Reason::kNotFound,
                    "no such image: " + name + "; `proa images list` lists images");
    }
    TRY((*runtime)->remove_image(name, runtime->until()));
    terminal.out(name + " removed\n");
  }
  return {};
}

}  // namespace images

std::vector<std::string> imported_names(std::string_view output) {
  std::vector<std::string> names;
  for (const std::string_view line : split(output, '\n')) {
    for (const std::string_view part : split(line, ' ')) {
      const std::string_view word = trim(part.substr(0, part.find('\t')));
      // Digests and sizes have one of the two at most, or begin with a parenthesis.
      const bool is_name = word.find('/') != std::string_view::npos &&
                           word.find(':') != std::string_view::npos && !word.starts_with('(');
      if (is_name && std::ranges::find(names, word) == names.end()) names.emplace_back(word);
    }
  }
  return names;
}

Command images_command() {
  using namespace images;
  return {
      .name = "images",
      .summary = "Import, list and remove container images of this node.",
      .description = "For images that are built here, and for nodes without a registry.",
      .commands = {
          {.name = "import",
           .summary = "Import image archives.",
           .description = "FILE is a tar as `docker save`, `podman save` and `ctr` write it, also\n"
                          "compressed with gzip; - reads standard input:\n"
                          "docker save IMAGE | proa images import -",
           .arguments = {{.word = "FILE", .kind = ValueKind::kFile, .repeats = true}},
           .flags = {data_dir_flag()},
           .run = import},
          {.name = "list",
           .summary = "List images.",
           .flags = {data_dir_flag(), output_flag()},
           .run = list},
          {.name = "remove",
           .summary = "Remove images. Running containers keep theirs.",
           .arguments = {{.word = "IMAGE", .repeats = true}},
           .flags = {data_dir_flag()},
           .run = remove},
      }};
}

}  // namespace proa::cli
