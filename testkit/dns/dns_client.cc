#include "testkit/dns/dns_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "base/check.h"
#include "dns/message/writer.h"
#include "dns/server/sockets.h"

namespace proa::testkit {
namespace dns_client {

FileDescriptor connected(const IpAddress& server, uint16_t port, int type) {
  FileDescriptor socket(::socket(server.is_v4() ? AF_INET : AF_INET6, type | SOCK_CLOEXEC, 0));
  const dns::SocketAddress address = dns::socket_address(server, port);
  if (connect(socket.get(), address.get(), address.size) != 0) return FileDescriptor();
  return socket;
}

bool readable(const FileDescriptor& socket, int milliseconds) {
  pollfd one{.fd = socket.get(), .events = POLLIN, .revents = 0};
  return poll(&one, 1, milliseconds) == 1;
}

}  // namespace dns_client

Message make_query(uint16_t id, std::string_view name, dns::Type type, uint16_t udp_size) {
  Message message(dns::kPlainUdpSize);
  dns::Writer writer(message, message.size());
  const auto parsed = dns::Name::parse(name);
  CHECK(parsed);
  writer.begin_query(id, {.name = *parsed, .type = type, .klass = dns::Class::kInternet}, udp_size,
                     false);
  message.resize(writer.finish(dns::Rcode::kNoError));
  return message;
}

Message ask_udp(const IpAddress& server, uint16_t port, const Message& query, int milliseconds) {
  const FileDescriptor socket = dns_client::connected(server, port, SOCK_DGRAM);
  if (!socket.valid() || send(socket.get(), query.data(), query.size(), 0) < 0) return {};
  if (!dns_client::readable(socket, milliseconds)) return {};
  Message answer(dns::kMostMessage);
  const ssize_t size = recv(socket.get(), answer.data(), answer.size(), 0);
  answer.resize(size < 0 ? 0 : static_cast<size_t>(size));
  return answer;
}

std::vector<Message> ask_tcp(const IpAddress& server, uint16_t port,
                             const std::vector<Message>& queries, int milliseconds) {
  const FileDescriptor socket = dns_client::connected(server, port, SOCK_STREAM);
  std::vector<Message> answers;
  if (!socket.valid()) return answers;
  Message out;
  for (const Message& query : queries) {
    out.push_back(static_cast<uint8_t>(query.size() >> 8));
    out.push_back(static_cast<uint8_t>(query.size()));
    out.insert(out.end(), query.begin(), query.end());
  }
  if (send(socket.get(), out.data(), out.size(), MSG_NOSIGNAL) < 0) return answers;
  Message in;
  while (answers.size() < queries.size() && dns_client::readable(socket, milliseconds)) {
    std::array<uint8_t, 4096> buffer;
    const ssize_t size = recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (size <= 0) break;
    in.insert(in.end(), buffer.begin(), buffer.begin() + size);
    while (in.size() >= 2 && in.size() - 2 >= dns::read16(in.data())) {
      const size_t length = dns::read16(in.data());
      answers.emplace_back(in.begin() + 2, in.begin() + 2 + static_cast<ptrdiff_t>(length));
      in.erase(in.begin(), in.begin() + 2 + static_cast<ptrdiff_t>(length));
    }
  }
  return answers;
}

}  // namespace proa::testkit
