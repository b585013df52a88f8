#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "http/client/request.h"
#include "http/net/loop.h"
#include "http/net/resolve.h"
#include "http/net/socket.h"

namespace proa::http {

// Makes one connection to an origin: looks its name up once, then tries the addresses in turn,
// until one is connected, TLS included, or the time is over. Loop thread only. Letting go of it
// calls it off.
class Connector : public Socket::Events, public std::enable_shared_from_this<Connector> {
 public:
  using Done = std::function<void(Result<std::unique_ptr<Socket>>)>;

  // `done` is called once, later, and may let go of the connector. Whoever gets the socket sets its
  // events there and then.
  static std::shared_ptr<Connector> start(Loop& loop, const Origin& origin,
                                          std::shared_ptr<const TlsContext> tls, Duration timeout,
                                          Done done);

 private:
  Connector(Loop& loop, const Origin& origin, std::shared_ptr<const TlsContext> tls, Done done);

  void begin(Duration timeout);
  void try_next();
  void finish(Result<std::unique_ptr<Socket>> result);

  void on_established() override;
  void on_data(std::string_view) override {}
  void on_end() override;
  void on_closed(const Status& why) override;

  Loop& loop_;
  const Origin origin_;
  const std::shared_ptr<const TlsContext> tls_;
  Done done_;
  std::vector<Endpoint> addresses_;
  size_t next_ = 0;
  std::optional<Status> last_failure_;
  std::unique_ptr<Socket> socket_;
  Timer timer_;
};

}  // namespace proa::http
