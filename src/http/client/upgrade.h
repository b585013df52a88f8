#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/client/connector.h"
#include "http/client/request.h"
#include "http/wire/http1_parser.h"

namespace proa::http {

// A connection after a protocol upgrade.
struct Upgraded {
  ResponseHead head;
  std::unique_ptr<Socket> socket;  // paused: set its events, deal with `early`, resume it
  std::string early;               // data that followed the 101
  bool ended = false;              // the peer has already ended its direction
};

// Called once, on the loop's thread. A Status if the peer did not switch: with the response's code
// and message; the connection is closed by then.
using UpgradeDone = std::function<void(Result<Upgraded>)>;

// For callers that want the response of a peer that did not switch: called instead of `done`, with
// a bounded part of its body. The connection is closed by then.
using UpgradeRefused = std::function<void(Response)>;

// One HTTP/1.1 upgrade request. If the peer does not switch, the connection is closed: otherwise
// the client could continue on a connection that we authenticated. Loop thread only.
class UpgradeAttempt final : public std::enable_shared_from_this<UpgradeAttempt>,
                             private Socket::Events,
                             private Http1Parser::Events {
 public:
  // `over` tells the owner that it can be dropped; called before `done`.
  UpgradeAttempt(Loop& loop, ClientRequest request, const Http1Limits& limits,
                 std::function<void()> over, UpgradeDone done, UpgradeRefused refused);
  // `timeout`: of everything; connecting may take less.
  void start(ConnectOptions options, Duration timeout);
  void fail(const Status& why);

 private:
  void on_data(std::string_view bytes) override;
  void on_end() override;
  void on_closed(const Status& why) override;
  void on_response(ResponseHead head) override;
  void on_body(std::string_view bytes) override;
  void on_message_end(Headers trailers) override;

  void connected(std::unique_ptr<Socket> socket);
  void refuse();
  bool switched_as_asked() const;
  void hand_over();
  void finish(Result<Upgraded> result);
  void end();

  Loop& loop_;
  const ClientRequest request_;
  std::function<void()> over_;
  UpgradeDone done_;
  UpgradeRefused refused_;
  Http1Parser parser_;
  std::shared_ptr<Connector> connector_;
  std::unique_ptr<Socket> socket_;
  std::string input_;
  std::optional<ResponseHead> head_;
  std::string refusal_;
  int informational_ = 0;  // responses with a 1xx
  bool switched_ = false;
  bool ended_ = false;
  Timer timer_;
};

}  // namespace proa::http
