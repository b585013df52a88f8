#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "admin.h"
#include "http/client/client.h"

namespace proa::e2e {

// A user with a token, on a connection that is kept. Of one thread.
class TokenClient {
 public:
  TokenClient(const std::string& data_dir, int port, const std::string& token)
      : origin_{.tls = true, .host = "127.0.0.1", .port = port}, bearer_("Bearer " + token) {
    std::ifstream file(data_dir + "/tls/authority.crt");
    options_.pool.tls =
        http::TlsContext::client({.roots_pem = {std::istreambuf_iterator<char>(file), {}}}).value();
    reconnect();
  }

  // The next request makes a new connection.
  void reconnect() { client_.emplace(loops_, clock_, options_); }

  Result<http::Response> send(std::string_view method, const std::string& target,
                              const std::string& body = "",
                              std::string_view content_type = "application/json",
                              std::string_view accept = "application/json") {
    http::ClientRequest request;
    request.origin = origin_;
    request.method = method;
    request.target = target;
    request.body = Bytes::copy_of(body);
    request.headers.add("authorization", bearer_);
    request.headers.add("accept", accept);
    if (!body.empty()) request.headers.add("content-type", content_type);
    return client_->send(request, Until::after(clock_, 10s));
  }
  // As client-go does when a connection is cut off before there is a response. The server makes
  // room for new connections, and one whose handshake is slow may be taken for a silent one.
  Result<http::Response> send_again_if_cut_off(std::string_view method, const std::string& target,
                                               const std::string& body = "", int tries = 3) {
    auto response = send(method, target, body);
    for (int i = 1; i < tries && !response.ok(); ++i) response = send(method, target, body);
    return response;
  }
  // The status code; zero if there was no response.
  int ask(std::string_view method, const std::string& target, const std::string& body = "",
          std::string_view content_type = "application/json") {
    const auto response = send(method, target, body, content_type);
    return response.ok() ? response->status : 0;
  }
  Clock& clock() { return clock_; }

 private:
  SystemClock clock_;
  http::LoopGroup loops_{1};
  const http::Origin origin_;
  const std::string bearer_;
  http::ClientOptions options_;
  std::optional<http::Client> client_;
};

// For messages.
inline std::string text_of(const Result<http::Response>& response) {
  if (!response.ok()) return response.status().message();
  return std::to_string(response->status) + " " + std::string(response->body.view().substr(0, 500));
}

}  // namespace proa::e2e
