#include "cli/backup/checkpoint.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/backup/control.h"
#include "cli/backup/scratch.h"
#include "http/client/client.h"
#include "json/parse.h"
#include "store/rocks/rocks_store.h"

namespace proa::cli {
namespace checkpoint {

// A checkpoint waits for compactions in progress.
constexpr Duration kCheckpointTimeout = std::chrono::minutes(10);
constexpr size_t kMaxResponseBytes = 64 * 1024;

// Made by a running server, which removes it when the call ends.
class ServersCheckpoint final : public Checkpoint {
 public:
  ServersCheckpoint(ControlPath where, std::string data_dir, Clock& clock)
      : where_(std::move(where)), path_(std::move(data_dir)), client_(loops_, clock, {}) {}

  Result<void> ask(const Until& until) {
    call_ = client_.open({.origin = http::Origin::unix_socket(where_.path()),
                          .method = "POST",
                          .target = "/checkpoint"});
    const http::ResponseHead head = TRY(call_->head(until));
    std::string body;
    while (body.size() < kMaxResponseBytes && !body.ends_with('\n')) {
      const auto part = TRY(call_->read(until));
      if (!part) break;
      body += part->view();
    }
    if (head.status != 200) return Status(Reason::kInternalError, std::string(trim(body)));
    const json::Document answer = TRY(json::parse(body));
    const json::Value* name = answer.root().find("path");
    if (name == nullptr || !name->is(json::Kind::kString)) {
      return Status(Reason::kInternalError, "the server's answer cannot be parsed: " + body);
    }
    path_ += "/" + std::string(name->as_string());
    return {};
  }

  std::string path() const override { return path_; }

 private:
  const ControlPath where_;
  std::string path_;
  http::LoopGroup loops_{1};
  http::Client client_;
  std::unique_ptr<http::BlockingCall> call_;
};

// Made by this process from an unused store.
class OwnCheckpoint final : public Checkpoint {
 public:
  OwnCheckpoint(const std::string& data_dir, Random& random)
      : directory_(data_dir, ScratchDirectory::Use::kCheckpoint, random) {}

  Result<void> make(const std::string& store_path, Clock& clock, Random& random) {
    // Encrypted values are copied as they are: that needs no keys.
    const auto store =
        TRY(store::open_rocks_store(store_path, clock, random, {.keep_sealed = true}));
    return store->checkpoint(directory_.path());
  }

  std::string path() const override { return directory_.path(); }

 private:
  const ScratchDirectory directory_;
};

Result<std::unique_ptr<Checkpoint>> ask_server(ControlPath where, const std::string& data_dir,
                                               Clock& clock) {
  auto made = std::make_unique<ServersCheckpoint>(std::move(where), data_dir, clock);
  const Result<void> asked = made->ask(Until::after(clock, kCheckpointTimeout));
  if (!asked.ok()) {
    return asked.status().in("asking the server in " + data_dir + " for a copy of its store");
  }
  return made;
}

}  // namespace checkpoint

Result<std::unique_ptr<Checkpoint>> take_checkpoint(const std::string& data_dir, Clock& clock,
                                                    Random& random) {
  const std::string store = data_dir + "/store";
  SystemFiles files;
  // Opening a missing store would create an empty one.
  const bool there = TRY(files.exists(store + "/STORE"));
  if (!there) {
    return Status(Reason::kNotFound, "no store in " + data_dir + "; check --data-dir");
  }
  ControlPath where = TRY(ControlPath::open(data_dir));
  const bool runs = TRY(where.answers());
  if (runs) return checkpoint::ask_server(std::move(where), data_dir, clock);
  auto made = std::make_unique<checkpoint::OwnCheckpoint>(data_dir, random);
  const Result<void> done = made->make(store, clock, random);
  if (done.is(Reason::kConflict)) {
    return Status(
        Reason::kConflict,
        done.status().message() + "; if a server is starting or stopping there, try again later");
  }
  if (!done.ok()) return done.status();
  return made;
}

}  // namespace proa::cli
