#include "cli/commands/data/secrets.h"

#include <fmt/format.h>

#include <functional>

#include "base/clock.h"
#include "base/files.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/backup/control.h"
#include "cli/command_line/output.h"
#include "cli/server/flags/encryption_flags.h"
#include "cli/server/flags/server_flags.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "store/rocks/rocks_store.h"

namespace proa::cli {
namespace secrets {

// The server says something at least this often, unless it compacts a large store.
constexpr Duration kAnswerTimeout = std::chrono::minutes(30);
constexpr Duration kPrintInterval = std::chrono::seconds(1);
constexpr size_t kMaxLine = 64 * 1024;

// Prints progress once a second, and each new stage.
class Report {
 public:
  Report(Terminal& terminal, Clock& clock) : terminal_(terminal), clock_(clock) {}

  void show(const std::string& stage, size_t examined, size_t total, size_t rewritten) {
    rewritten_ = rewritten;
    const bool due = clock_.steady() - printed_ >= kPrintInterval;
    if (stage == stage_ && !due) return;
    stage_ = stage;
    printed_ = clock_.steady();
    terminal_.error(stage == "purging"
                        ? std::string("purging former values from the store's files\n")
                        : fmt::format("{}: {} of about {} values, {} rewritten\n", stage, examined,
                                      std::max(examined, total), rewritten));
  }
  size_t rewritten() const { return rewritten_; }

 private:
  Terminal& terminal_;
  Clock& clock_;
  std::string stage_;
  Steady printed_{};
  size_t rewritten_ = 0;
};

std::string stage_name(store::ReencodeProgress::Stage stage) {
  using Stage = store::ReencodeProgress::Stage;
  if (stage == Stage::kRewriting) return "rewriting";
  return stage == Stage::kVerifying ? "verifying" : "purging";
}

size_t count_in(const json::Value& line, std::string_view name) {
  const json::Value* found = line.find(name);
  return found != nullptr && found->is(json::Kind::kInt) ? static_cast<size_t>(found->as_int()) : 0;
}

std::string text_in(const json::Value& line, std::string_view name) {
  const json::Value* found = line.find(name);
  return found != nullptr && found->is(json::Kind::kString) ? std::string(found->as_string()) : "";
}

// One line of the server's answer; true for the last one.
Result<bool> take_line(std::string_view text, Report& report) {
  const json::Document document = TRY(json::parse(text));
  const json::Value& line = document.root();
  if (const std::string error = text_in(line, "error"); !error.empty()) {
    return Status(Reason::kInternalError, error);
  }
  if (line.find("done") != nullptr) return true;
  report.show(text_in(line, "stage"), count_in(line, "examined"), count_in(line, "total"),
              count_in(line, "rewritten"));
  return false;
}

Result<void> ask_server(const ControlPath& where, Clock& clock, Report& report) {
  http::LoopGroup loops(1);
  http::Client client(loops, clock, {});
  const auto call = client.open({.origin = http::Origin::unix_socket(where.path()),
                                 .method = "POST",
                                 .target = "/reencrypt"});
  const http::ResponseHead head = TRY(call->head(Until::after(clock, kAnswerTimeout)));
  std::string pending;
  while (pending.size() < kMaxLine) {
    const auto part = TRY(call->read(Until::after(clock, kAnswerTimeout)));
    if (!part) break;
    pending += part->view();
    for (size_t end = pending.find('\n'); head.status == 200 && end != std::string::npos;
         end = pending.find('\n')) {
      const bool last = TRY(take_line(std::string_view(pending).substr(0, end), report));
      if (last) return {};
      pending.erase(0, end + 1);
    }
  }
  return Status(Reason::kInternalError, head.status == 200 ? "the server stopped before it was done"
                                                           : std::string(trim(pending)));
}

// While no server runs.
Result<void> reencrypt_here(const Invocation& invocation, Clock& clock, Report& report) {
  SystemFiles files;
  SystemRandom random;
  const std::string path = invocation.settings.text("encryption-provider-config");
  if (path.empty()) {
    return Status(Reason::kInvalid,
                  "no server runs with this data directory; start it, or pass its "
                  "--encryption-provider-config");
  }
  const auto encryption =
      TRY(encryption::EncryptionAtRest::open({.path = path}, files, clock, random));
  TRY(encryption->wait_for_plugins(Until::after(clock, std::chrono::minutes(1))));
  store::RocksOptions options;
  options.transformer = encryption->transformer();
  const auto store = TRY(store::open_rocks_store(invocation.settings.text("data-dir") + "/store",
                                                 clock, random, options));
  return store->reencode(
      [&](const store::ReencodeProgress& progress) {
        report.show(stage_name(progress.stage), progress.examined, progress.total,
                    progress.rewritten);
      },
      {});
}

Result<void> reencrypt(const Invocation& invocation, Terminal& terminal) {
  const std::string& data_dir = invocation.settings.text("data-dir");
  SystemFiles files;
  SystemClock clock;
  const bool there = TRY(files.exists(data_dir + "/store/STORE"));
  if (!there) return Status(Reason::kNotFound, "no store in " + data_dir + "; check --data-dir");
  Report report(terminal, clock);
  const ControlPath where = TRY(ControlPath::open(data_dir));
  const bool runs = TRY(where.answers());
  const Result<void> done =
      runs ? ask_server(where, clock, report) : reencrypt_here(invocation, clock, report);
  if (!done.ok()) return done.status().in("re-encrypting the store in " + data_dir);
  terminal.out(fmt::format("{} rewritten; no value on disk has another form or key\n",
                           counted(report.rewritten(), "value")));
  return {};
}

}  // namespace secrets

Command secrets_command() {
  return {.name = "secrets",
          .summary = "Manage the encryption of objects on disk.",
          .commands = {{.name = "reencrypt",
                        .summary = "Encrypt everything on disk as the configuration says now.",
                        .description =
                            "Rewrites every value on disk that is not encrypted with the first "
                            "provider and key of its resource, the history included, and removes "
                            "former values from all files of the store. Objects do not change: "
                            "there are no events. Asks the running server, whose configuration "
                            "counts; if none runs, opens the store with "
                            "--encryption-provider-config. Can be repeated at any time.",
                        .flags = {data_dir_flag(), encryption_config_flag()},
                        .run = secrets::reencrypt}}};
}

}  // namespace proa::cli
