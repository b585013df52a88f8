#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/threads/mutex.h"
#include "client/client.h"
#include "client/kubeconfig.h"
#include "crypto/certificate.h"
#include "http/client/client.h"
#include "http/net/loop.h"

namespace proa::client {

struct RemoteOptions {
  Connection connection;
  std::string user_agent = "proa";
  // For a request and all of its repetitions; watches only begin within it.
  Duration timeout = std::chrono::seconds(30);
};

// The API of a server behind HTTP(S). A server that is busy (429, 503) and says when to come again
// is asked again, as long as the timeout lasts.
class RemoteClient final : public Client {
 public:
  // Everything outlives it. Fails when the certificates can't be read.
  static Result<std::unique_ptr<RemoteClient>> make(http::LoopGroup& loops, Clock& clock,
                                                    Files& files, RemoteOptions options);
  ~RemoteClient() override;

  // Calls off what waits, and refuses what comes later. From any thread.
  void stop();
  // Says who asks by another certificate from now on; calls under way go on. From any thread.
  Result<void> set_certificate(const crypto::CertifiedKey& certificate);

  Result<api::ObjectPtr> get(const Place& place) override;
  Result<ObjectList> list(const Place& place, const ListQuery& query) override;
  // REQUIRES: watches go before the client does.
  Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query) override;
  Result<api::ObjectPtr> create(const Place& place, std::string object,
                                const WriteChoices& choices) override;
  Result<api::ObjectPtr> update(const Place& place, std::string object,
                                const WriteChoices& choices) override;
  Result<api::ObjectPtr> patch(const Place& place, api::PatchType type, std::string patch,
                               const WriteChoices& choices) override;
  Result<void> remove(const Place& place, const RemoveChoices& choices) override;
  Result<void> remove_collection(const Place& place, const ListQuery& query,
                                 const RemoveChoices& choices) override;

 private:
  struct Body {
    std::string_view content_type;
    std::string text;
  };
  RemoteClient(http::LoopGroup& loops, Clock& clock, Files& files, RemoteOptions options,
               const http::Url& server, const http::ClientOptions& http);

  Result<http::ClientRequest> request(std::string_view method, std::string target, Body body)
      EXCLUDES(mutex_);
  // The answer, if it is a good one.
  Result<Bytes> send(std::string_view method, std::string target, Body body);
  Result<api::ObjectPtr> send_for_object(std::string_view method, std::string target, Body body);
  Result<std::unique_ptr<http::BlockingCall>> open_watch(const std::string& target);
  // Before the next attempt; false when there is no time left for one.
  bool pause(int seconds, const Until& until) EXCLUDES(mutex_);
  Result<std::string> token() EXCLUDES(mutex_);
  Until until();

  Clock& clock_;
  Files& files_;
  const RemoteOptions options_;
  const http::Origin origin_;
  const std::string path_prefix_;  // of the server's URL, without a slash at its end
  std::stop_source stop_;
  Mutex mutex_;
  CondVar stopped_;
  std::string token_ GUARDED_BY(mutex_);
  Steady token_read_ GUARDED_BY(mutex_) = Steady::min();
  http::Client http_;
};

}  // namespace proa::client
