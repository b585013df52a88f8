#include "cli/backup/control.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <future>
#include <stop_token>

#include "base/log.h"
#include "cli/backup/scratch.h"
#include "http/net/endpoint.h"
#include "json/print.h"

namespace proa::cli {
namespace control {

const Log kLog("cli");

constexpr std::string_view kName = "control.sock";
// Each occupies a thread while it is read, and keeps files that the store would otherwise delete.
constexpr size_t kMaxCheckpoints = 4;

http::ServerLimits limits() {
  http::ServerLimits limits;
  limits.connections = 64;
  limits.body_bytes = 4096;
  return limits;
}

void answer(http::Exchange& exchange, int status, const std::string& text) {
  exchange.respond(
      {status, {{"content-type", "text/plain; charset=utf-8"}}, Bytes(text + "\n"), {}});
}

std::string_view stage_name(store::ReencodeProgress::Stage stage) {
  using Stage = store::ReencodeProgress::Stage;
  if (stage == Stage::kRewriting) return "rewriting";
  return stage == Stage::kVerifying ? "verifying" : "purging";
}

std::string progress_line(const store::ReencodeProgress& progress) {
  return fmt::format("{{\"stage\":\"{}\",\"examined\":{},\"total\":{},\"rewritten\":{}}}\n",
                     stage_name(progress.stage), progress.examined, progress.total,
                     progress.rewritten);
}

}  // namespace control

ControlPath::ControlPath(FileDescriptor directory, std::string data_dir)
    : directory_(std::move(directory)),
      data_dir_(std::move(data_dir)),
      path_(fmt::format("/proc/self/fd/{}/{}", directory_.get(), control::kName)) {}

Result<ControlPath> ControlPath::open(const std::string& data_dir) {
  FileDescriptor directory(::open(data_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) {
    const int error = errno;
    const Status status = errno_status("opening " + data_dir, error);
    return error == ENOENT ? Status(Reason::kNotFound, status.message()) : status;
  }
  return ControlPath(std::move(directory), data_dir);
}

Result<bool> ControlPath::answers() const {
  const auto address = TRY(http::to_socket_address({.unix_path = path_}));
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe.valid()) return errno_status("creating a socket", errno);
  if (::connect(probe.get(), address.raw(), address.size) == 0) return true;
  if (errno == ENOENT || errno == ECONNREFUSED) return false;
  return errno_status(fmt::format("connecting to {}/{}", data_dir_, control::kName), errno);
}

ControlSocket::ControlSocket(ControlPath where, std::string data_dir, store::Store& store,
                             Random& random)
    : where_(std::move(where)),
      data_dir_(std::move(data_dir)),
      store_(store),
      random_(random),
      pool_({.max_threads = control::kMaxCheckpoints, .max_queued = control::kMaxCheckpoints}),
      server_(loops_, *this, control::limits()) {}

ControlSocket::~ControlSocket() = default;

Result<std::unique_ptr<ControlSocket>> ControlSocket::open(const std::string& data_dir,
                                                           store::Store& store, Random& random) {
  ControlPath where = TRY(ControlPath::open(data_dir));
  std::unique_ptr<ControlSocket> opened(
      new ControlSocket(std::move(where), data_dir, store, random));
  const std::string& path = opened->where_.path();
  const auto listening = opened->server_.listen({.unix_path = path});
  if (!listening.ok()) {
    return listening.status().in(fmt::format("{}/{}", data_dir, control::kName));
  }
  // Until here the directory's mode or umask protects it.
  if (::chmod(path.c_str(), 0600) != 0) return errno_status("setting the mode of " + path, errno);
  return opened;
}

void ControlSocket::handle(http::ExchangePtr exchange) {
  const http::RequestHead& request = exchange->request();
  const bool reencrypts = request.target == "/reencrypt";
  if (!reencrypts && request.target != "/checkpoint") {
    return control::answer(*exchange, 404, "not found");
  }
  if (request.method != "POST") return control::answer(*exchange, 405, "POST only");
  const bool taken = pool_.submit([this, exchange, reencrypts] {
    reencrypts ? this->reencrypt(*exchange) : checkpoint(*exchange);
  });
  if (!taken) control::answer(*exchange, 503, "too many backups are under way");
}

void ControlSocket::checkpoint(http::Exchange& exchange) {
  const ScratchDirectory directory(data_dir_, ScratchDirectory::Use::kCheckpoint, random_);
  const Result<void> made = store_.checkpoint(directory.path());
  if (!made.ok()) {
    control::kLog.warn("checkpoint failed", {{"error", made.status()}});
    return control::answer(exchange, 500, made.status().message());
  }
  const auto closed = std::make_shared<std::promise<void>>();
  exchange.on_closed([closed] { closed->set_value(); });
  std::string text = "{\"path\":";
  json::print_string_to(text, directory.name());
  exchange.start({200, {{"content-type", "application/json"}}});
  exchange.write(Bytes(text + "}\n"));
  closed->get_future().wait();
}

void ControlSocket::reencrypt(http::Exchange& exchange) {
  const auto stop = std::make_shared<std::stop_source>();
  exchange.on_closed([stop] { stop->request_stop(); });
  exchange.start({200, {{"content-type", "application/json"}}});
  const auto observe = [&](const store::ReencodeProgress& progress) {
    exchange.write(Bytes(control::progress_line(progress)));
  };
  const Result<void> done = store_.reencode(observe, stop->get_token());
  std::string last = "{\"done\":true}\n";
  if (!done.ok()) {
    control::kLog.warn("re-encrypting the store failed", {{"error", done.status()}});
    last = "{\"error\":";
    json::print_string_to(last, done.status().message());
    last += "}\n";
  }
  exchange.write(Bytes(std::move(last)));
  exchange.finish();
}

}  // namespace proa::cli
