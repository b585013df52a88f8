#include "cli/commands/images.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/spawn.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/credentials/start_hint.h"
#include "cli/host/rights.h"
#include "cli/node/foreign_runtime.h"
#include "cli/server/run.h"
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
                        start_hint(files, place.data_dir) + ", or pass another --data-dir");
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

Result<void> import(const Invocation& invocation, Terminal& terminal) {
  const auto runtime = TRY(NodeRuntime::open(invocation.settings));
  const auto ctr = find_program("ctr");
  if (!ctr)
    return Status(Reason::kNotFound, "ctr is not installed; install the package containerd");
  SystemFiles files;
  for (const std::string& path : invocation.arguments) {
    const bool exists = TRY(files.exists(path));
    if (!exists) return Status(Reason::kNotFound, path + " does not exist");
    const Outcome outcome = TRY(run_to_end(
        {*ctr, "--address", runtime->socket(), "--namespace", "k8s.io", "images", "import", path},
        "", runtime->clock(), kImportTimeout));
    if (outcome.exit_code != 0) {
      return Status(Reason::kInternalError,
                    "importing " + path + ": " + std::string(trim(outcome.output)));
    }
    terminal.out(path + " imported\n");
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

Command images_command() {
  using namespace images;
  return {.name = "images",
          .summary = "Import, list and remove container images of this node.",
          .description = "For images that are built here, and for nodes without a registry.",
          .commands = {
              {.name = "import",
               .summary = "Import image archives.",
               .description = "FILE is a tar as `docker save`, `podman save` and `ctr` write it.",
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
