#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/files.h"
#include "http/budgets/connection_count.h"
#include "http/client/request.h"
#include "http/net/loop.h"
#include "http/net/resolve.h"
#include "http/net/socket.h"

namespace proa::http {

// Judges a server after the TLS handshake, before anything is sent to it. For contexts that defer
// verification. On the loop's thread; must not block.
using PeerCheck = std::function<Result<void>(const Origin&, const Socket&)>;

// How connections are secured.
struct ClientTls {
  ClientTls() = default;
  ClientTls(std::shared_ptr<const TlsContext> by, PeerCheck judge = nullptr)
      : context(std::move(by)), check(std::move(judge)) {}

  std::shared_ptr<const TlsContext> context;  // for https origins
  PeerCheck check;                            // null: none
};

// Opens a connection to an origin that has a `via`. Calls `done` once, on the loop's thread and
// asynchronously, with a unix socket that is connected; TLS, if the origin has it, runs on that.
using DialDone = std::function<void(Result<FileDescriptor>)>;
using Dial = std::function<void(Loop&, const Origin&, DialDone done)>;

// Judges an address of an origin, an IP address in its usual notation, before it is connected to.
// On the loop's thread; must not block.
using AddressCheck = std::function<Result<void>(const Origin&, const std::string& address)>;

struct ConnectOptions {
  ClientTls tls = {};
  Duration timeout = std::chrono::seconds(10);
  std::shared_ptr<ConnectionCount> count = {};  // bounds open connections; null: no bound
  Dial dial = nullptr;
  AddressCheck check_address = nullptr;  // null: every address may be connected to
};

// Establishes one connection to an origin: resolves its name once, then tries the addresses in
// turn, until one is connected, including TLS, or the time is up. Loop thread only. Destruction
// cancels it.
class Connector : public Socket::Events, public std::enable_shared_from_this<Connector> {
 public:
  using Done = std::function<void(Result<std::unique_ptr<Socket>>)>;

  // `done` is called once, asynchronously, and may release the connector. It must set the events of
  // the socket immediately.
  static std::shared_ptr<Connector> start(Loop& loop, const Origin& origin, ConnectOptions options,
                                          Done done);

 private:
  Connector(Loop& loop, const Origin& origin, ConnectOptions options, Done done);

  void begin();
  void begin_dial();
  void dialed(Result<FileDescriptor> opened);
  void try_next();
  // Passes over the next addresses that must not be connected to.
  void skip_refused();
  // Counts the connection that is about to be opened; fails if there are too many.
  Result<std::shared_ptr<const void>> take_place();
  // Null if the connection has none.
  Result<std::shared_ptr<const TlsContext>> tls_context() const;
  std::string_view tls_name() const;
  void finish(Result<std::unique_ptr<Socket>> result);

  void on_established() override;
  void on_data(std::string_view) override {}
  void on_end() override;
  void on_closed(const Status& why) override;

  Loop& loop_;
  const Origin origin_;
  const ConnectOptions options_;
  Done done_;
  std::vector<Endpoint> addresses_;
  size_t next_ = 0;
  std::optional<Status> last_failure_;
  std::unique_ptr<Socket> socket_;
  Timer timer_;
};

}  // namespace proa::http
