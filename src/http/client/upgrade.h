#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/client/connector.h"
#include "http/client/request.h"
#include "http/wire/http1_parser.h"

namespace proa::http {

// A connection that speaks another protocol from now on.
struct Upgraded {
  ResponseHead head;
  std::unique_ptr<Socket> socket;  // paused: set its events, deal with `early`, resume it
  std::string early;               // what the peer sent behind its 101
  bool ended = false;              // and it has ended its direction already
};

// Called once, on the loop's thread. A Status when the peer did not switch: its code is the
// answer's, its message has what the answer said; the connection is closed by then, never kept.
using UpgradeDone = std::function<void(Result<Upgraded>)>;

// For those who want to see an answer that does not switch: called instead of `done`, with as much
// of its body as is worth passing on. The connection is closed by then as well.
using UpgradeRefused = std::function<void(Response)>;

// One HTTP/1.1 request to switch protocols. A peer that does not switch gets its connection closed:
// were it kept, whoever asked could speak on over a connection that we authenticated. Loop thread
// only.
class UpgradeAttempt final : public std::enable_shared_from_this<UpgradeAttempt>,
                             private Socket::Events,
                             private Http1Parser::Events {
 public:
  // `over` lets its owner know that it can be dropped; it comes before `done`.
  UpgradeAttempt(Loop& loop, ClientRequest request, const Http1Limits& limits,
                 std::function<void()> over, UpgradeDone done, UpgradeRefused refused);
  void start(std::shared_ptr<const TlsContext> tls, Duration timeout);
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
  bool switched_ = false;
  bool ended_ = false;
  Timer timer_;
};

}  // namespace proa::http
