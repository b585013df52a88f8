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
  // Bounds a request with all of its retries, whatever the caller allows; bounds only the start of
  // a watch.
  Duration timeout = std::chrono::seconds(30);
};

// A client over HTTP(S). Retries until the timeout if a busy server (429, 503) sends Retry-After.
class RemoteClient final : public Client {
 public:
  // All arguments outlive it. Fails if the certificates cannot be read.
  static Result<std::unique_ptr<RemoteClient>> make(http::LoopGroup& loops, Clock& clock,
                                                    Files& files, RemoteOptions options);
  ~RemoteClient() override;

  // Cancels waiting calls and refuses further ones. Thread-safe.
  void stop();
  // Replaces the client certificate for new connections; calls in progress continue. Thread-safe.
  Result<void> set_certificate(const crypto::CertifiedKey& certificate);

  // A path that is not a resource, such as "/readyz": the response, whatever its status code.
  Result<http::Response> get_path(std::string target, const Until& until);

  Result<api::ObjectPtr> get(const Place& place, const Until& until) override;
  Result<ObjectList> list(const Place& place, const ListQuery& query, const Until& until) override;
  // REQUIRES: watches are destroyed before the client.
  Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query,
                                       const Until& until) override;
  Result<api::ObjectPtr> create(const Place& place, json::Document object,
                                const WriteChoices& choices, const Until& until) override;
  Result<api::ObjectPtr> update(const Place& place, json::Document object,
                                const WriteChoices& choices, const Until& until) override;
  Result<api::ObjectPtr> patch(const Place& place, api::PatchType type, json::Document patch,
                               const WriteChoices& choices, const Until& until) override;
  Result<void> remove(const Place& place, const RemoveChoices& choices,
                      const Until& until) override;
  Result<void> remove_collection(const Place& place, const ListQuery& query,
                                 const RemoveChoices& choices, const Until& until) override;

 private:
  // A caller's time, cut by this client's timeout and by stop().
  class Limits;
  struct Body {
    std::string_view content_type;
    std::string text;
  };
  RemoteClient(http::LoopGroup& loops, Clock& clock, Files& files, RemoteOptions options,
               const http::Url& server, const http::ClientOptions& http);

  Result<http::ClientRequest> request(std::string_view method, std::string target, Body body)
      EXCLUDES(mutex_);
  // Fails unless the response has a success status.
  Result<Bytes> send(std::string_view method, std::string target, Body body, const Until& until);
  Result<api::ObjectPtr> send_for_object(std::string_view method, std::string target, Body body,
                                         const Until& until);
  Result<std::unique_ptr<http::BlockingCall>> open_watch(const std::string& target,
                                                         const Until& until);
  // Waits before the next attempt; false if there is no time left.
  bool pause(int seconds, const Until& until) EXCLUDES(mutex_);
  Result<std::string> token() EXCLUDES(mutex_);

  Clock& clock_;
  Files& files_;
  const RemoteOptions options_;
  const http::Origin origin_;
  const std::string path_prefix_;  // path of the server's URL, without a trailing slash
  std::stop_source stop_;
  Mutex mutex_;
  CondVar stopped_;
  std::string token_ GUARDED_BY(mutex_);
  Steady token_read_ GUARDED_BY(mutex_) = Steady::min();
  http::Client http_;
};

}  // namespace proa::client
