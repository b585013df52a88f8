#include "dns/server/tcp_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

namespace proa::dns {
namespace tcp_server {

// A query is not longer, though its length field could say so.
constexpr size_t kMostQuery = 4096;
// Answers that a client does not read: more of its queries wait until it does.
constexpr size_t kMostUnsent = 256UL * 1024;
// Of all connections together: beyond it, each gets one answer at a time.
constexpr size_t kMostUnsentOfAll = 16UL * 1024 * 1024;
constexpr size_t kMostInFlight = 100;  // of one connection

}  // namespace tcp_server

struct TcpServer::Connection {
  FileDescriptor socket;
  IpAddress client;
  Steady used;
  std::string input;
  std::string output;
  size_t in_flight = 0;
  bool ended = false;  // the client sends no more

  void queue(ByteSpan response) {
    output += static_cast<char>(response.size() >> 8);
    output += static_cast<char>(response.size() & 0xff);
    output.append(reinterpret_cast<const char*>(response.data()), response.size());
  }
  bool answers(size_t most_unsent) const {
    return output.size() < most_unsent && in_flight < tcp_server::kMostInFlight;
  }
  bool reads(size_t most_unsent) const { return !ended && answers(most_unsent); }
};

TcpServer::TcpServer(Context context)
    : context_(std::move(context)), statistics_(context_.statistics.thread()) {}

Result<std::unique_ptr<TcpServer>> TcpServer::start(Context context) {
  std::unique_ptr<TcpServer> server(new TcpServer(std::move(context)));
  server->port_ = server->context_.port;
  for (const IpAddress& address : server->context_.addresses) {
    server->listeners_.push_back(TRY(open_tcp(address, server->port_)));
    if (server->port_ == 0) server->port_ = port_of(server->listeners_.back());
  }
  server->thread_ = std::jthread([&server = *server](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "dns-tcp");
    server.run(stop);
  });
  return server;
}

TcpServer::~TcpServer() {
  thread_.request_stop();
  outbox_->wake.wake();
}

// Milliseconds until the first connection has been idle for too long.
int TcpServer::wait_time() const {
  if (connections_.empty()) return -1;
  Steady first = Steady::max();
  for (const auto& [id, connection] : connections_) first = std::min(first, connection->used);
  const Duration left = first + context_.idle - context_.clock.steady();
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left);
  return static_cast<int>(std::max<int64_t>(rounded.count(), 0));
}

void TcpServer::run(const std::stop_token& stop) {
  std::vector<pollfd> polled;
  std::vector<uint64_t> ids;
  while (!stop.stop_requested()) {
    list_files(polled, ids);
    if (poll(polled.data(), polled.size(), wait_time()) < 0 && errno != EINTR) return;
    outbox_->wake.clear();
    deliver();
    for (size_t i = 0; i < ids.size(); ++i) {
      serve(ids[i], polled[1 + listeners_.size() + i].revents);
    }
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if (polled[1 + i].revents != 0) accept_all(listeners_[i]);
    }
    close_idle();
  }
  connections_.clear();
}

void TcpServer::list_files(std::vector<pollfd>& polled, std::vector<uint64_t>& ids) {
  polled.clear();
  ids.clear();
  polled.push_back({.fd = outbox_->wake.descriptor(), .events = POLLIN, .revents = 0});
  for (const FileDescriptor& listener : listeners_) {
    polled.push_back({.fd = listener.get(), .events = POLLIN, .revents = 0});
  }
  size_t unsent = 0;
  for (const auto& [id, connection] : connections_) unsent += connection->output.size();
  most_unsent_ = unsent < tcp_server::kMostUnsentOfAll ? tcp_server::kMostUnsent : 1;
  for (const auto& [id, connection] : connections_) {
    const int events =
        (connection->reads(most_unsent_) ? POLLIN : 0) | (connection->output.empty() ? 0 : POLLOUT);
    polled.push_back(
        {.fd = connection->socket.get(), .events = static_cast<int16_t>(events), .revents = 0});
    ids.push_back(id);
  }
}

void TcpServer::serve(uint64_t id, int events) {
  const auto found = connections_.find(id);
  if (events == 0 || found == connections_.end()) return;
  // After a reset poll() returns at once, and nobody is left to answer.
  const bool gone = (events & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  if (gone || !receive(id, *found->second)) close(id);
}

void TcpServer::accept_all(const FileDescriptor& listener) {
  while (true) {
    sockaddr_storage from = {};
    socklen_t size = sizeof from;
    FileDescriptor socket(accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &size,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) return;
    const auto client = address_of(reinterpret_cast<const sockaddr*>(&from));
    if (!client || !context_.access.allows_connection(*client)) {
      statistics_.add_dropped();
      continue;
    }
    size_t& count = clients_[*client];
    if (connections_.size() >= context_.most_connections || count >= context_.most_per_client) {
      if (count == 0) clients_.erase(*client);
      continue;
    }
    ++count;
    auto connection = std::make_unique<Connection>();
    connection->socket = std::move(socket);
    connection->client = *client;
    connection->used = context_.clock.steady();
    connections_.emplace(next_id_++, std::move(connection));
    connection_count_ = connections_.size();
  }
}

void TcpServer::close(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const auto client = clients_.find(found->second->client);
  if (client != clients_.end() && --client->second == 0) clients_.erase(client);
  connections_.erase(found);
  connection_count_ = connections_.size();
}

void TcpServer::close_idle() {
  const Steady before = context_.clock.steady() - context_.idle;
  std::vector<uint64_t> idle;
  for (const auto& [id, connection] : connections_) {
    if (connection->used <= before) idle.push_back(id);
  }
  for (const uint64_t id : idle) close(id);
}

void TcpServer::deliver() {
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> answers;
  {
    MutexLock lock(outbox_->mutex);
    answers.swap(outbox_->answers);
  }
  for (const auto& [id, answer] : answers) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    Connection& connection = *found->second;
    --connection.in_flight;
    connection.queue(answer);
    // What waited for this one.
    if (!take_queries(id, connection) || !send(connection)) close(id);
  }
}

bool TcpServer::send(Connection& connection) {
  while (!connection.output.empty()) {
    const ssize_t sent = ::send(connection.socket.get(), connection.output.data(),
                                connection.output.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    connection.output.erase(0, static_cast<size_t>(sent));
  }
  // Everything that was asked is answered.
  return !connection.ended || connection.in_flight > 0;
}

bool TcpServer::receive(uint64_t id, Connection& connection) {
  if (connection.reads(most_unsent_)) {
    char buffer[tcp_server::kMostQuery];
    const ssize_t size = recv(connection.socket.get(), buffer, sizeof buffer, 0);
    if (size < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (size == 0) connection.ended = true;
    if (size > 0) connection.input.append(buffer, static_cast<size_t>(size));
  }
  return take_queries(id, connection) && send(connection);
}

bool TcpServer::take_queries(uint64_t id, Connection& connection) {
  std::string_view rest = connection.input;
  while (rest.size() >= 2 && connection.answers(most_unsent_)) {
    const size_t size = read16(reinterpret_cast<const uint8_t*>(rest.data()));
    if (size < kHeaderSize || size > tcp_server::kMostQuery) return false;
    if (rest.size() - 2 < size) break;
    const ByteSpan query(reinterpret_cast<const uint8_t*>(rest.data()) + 2, size);
    rest.remove_prefix(size + 2);
    // Only a whole query keeps a connection open.
    connection.used = context_.clock.steady();
    response_.resize(kMostMessage);
    bool waits = false;
    const auto later = [&]() -> Handler::Later {
      waits = true;
      return [outbox = outbox_, id](ByteSpan done) {
        {
          MutexLock lock(outbox->mutex);
          outbox->answers.emplace_back(id, std::vector<uint8_t>(done.begin(), done.end()));
        }
        outbox->wake.wake();
      };
    };
    const size_t answer =
        context_.handler.handle({.message = query, .client = connection.client, .tcp = true},
                                response_, statistics_, std::ref(later));
    if (waits) ++connection.in_flight;
    if (answer > 0) connection.queue({response_.data(), answer});
    // A response, which nobody sends to a server with good intent.
    if (answer == 0 && !waits) return false;
  }
  connection.input.erase(0, connection.input.size() - rest.size());
  return true;
}

}  // namespace proa::dns
