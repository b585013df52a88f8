#include "dns/server/udp_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>

namespace proa::dns {
namespace udp_server {

constexpr size_t kBatch = 32;
// A query has one name and an OPT record; what is longer is cut, and refused.
constexpr size_t kMostQuery = 768;
constexpr size_t kControl = CMSG_SPACE(sizeof(in6_pktinfo));

// The link that a packet came in by; 0 if the kernel does not say.
unsigned link_of(msghdr& message) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
      in_pktinfo info;
      std::memcpy(&info, CMSG_DATA(control), sizeof info);
      return static_cast<unsigned>(info.ipi_ifindex);
    }
    if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info;
      std::memcpy(&info, CMSG_DATA(control), sizeof info);
      return info.ipi6_ifindex;
    }
  }
  return 0;
}

// Buffers of one thread: what came, and the answers to it.
struct Buffers {
  std::array<std::array<uint8_t, kMostQuery>, kBatch> queries;
  std::array<std::array<uint8_t, kOurUdpSize>, kBatch> answers;
  std::array<sockaddr_storage, kBatch> clients;
  std::array<std::array<uint8_t, kControl>, kBatch> controls;
  std::array<iovec, kBatch> in;
  std::array<iovec, kBatch> out;
  std::array<mmsghdr, kBatch> received;
  std::array<mmsghdr, kBatch> sent;
};

}  // namespace udp_server

class UdpServer::Worker {
 public:
  Worker(const UdpServer& server, std::vector<Socket> sockets)
      : server_(server),
        context_(server.context_),
        sockets_(std::move(sockets)),
        statistics_(context_.statistics.thread()),
        buffers_(std::make_unique<udp_server::Buffers>()) {}

  void run(const std::stop_token& stop) {
    std::vector<pollfd> polled;
    for (const Socket& socket : sockets_) {
      polled.push_back({.fd = socket->get(), .events = POLLIN, .revents = 0});
    }
    polled.push_back({.fd = server_.stop_.descriptor(), .events = POLLIN, .revents = 0});
    while (!stop.stop_requested()) {
      if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
      for (size_t i = 0; i < sockets_.size(); ++i) {
        if (polled[i].revents == 0) continue;
        // Under load there is always more: without asking whether.
        while (!stop.stop_requested() && serve(sockets_[i]) == udp_server::kBatch) {
        }
      }
    }
  }

 private:
  // Answers what has come, at most a batch of it; returns how many that were.
  size_t serve(const Socket& socket) {
    udp_server::Buffers& b = *buffers_;
    for (size_t i = 0; i < udp_server::kBatch; ++i) {
      b.in[i] = {.iov_base = b.queries[i].data(), .iov_len = b.queries[i].size()};
      b.received[i].msg_hdr = {.msg_name = &b.clients[i],
                               .msg_namelen = sizeof b.clients[i],
                               .msg_iov = &b.in[i],
                               .msg_iovlen = 1,
                               .msg_control = b.controls[i].data(),
                               .msg_controllen = b.controls[i].size(),
                               .msg_flags = 0};
    }
    const int count =
        recvmmsg(socket->get(), b.received.data(), udp_server::kBatch, MSG_DONTWAIT, nullptr);
    if (count <= 0) return 0;
    size_t answers = 0;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const size_t size = answer(socket, i, b.answers[answers]);
      if (size == 0) continue;
      b.out[answers] = {.iov_base = b.answers[answers].data(), .iov_len = size};
      b.sent[answers].msg_hdr = {.msg_name = &b.clients[i],
                                 .msg_namelen = b.received[i].msg_hdr.msg_namelen,
                                 .msg_iov = &b.out[answers],
                                 .msg_iovlen = 1,
                                 .msg_control = nullptr,
                                 .msg_controllen = 0,
                                 .msg_flags = 0};
      ++answers;
    }
    send(socket, answers);
    return static_cast<size_t>(count);
  }

  size_t answer(const Socket& socket, size_t i, std::span<uint8_t> response) {
    udp_server::Buffers& b = *buffers_;
    msghdr& header = b.received[i].msg_hdr;
    const auto client = address_of(reinterpret_cast<const sockaddr*>(&b.clients[i]));
    if (!client || !context_.access.allows_packet(*client, udp_server::link_of(header))) {
      statistics_.add_dropped();
      return 0;
    }
    const auto later = [&]() -> Handler::Later {
      return [socket, to = b.clients[i], size = header.msg_namelen](ByteSpan done) {
        // A client that is gone has no use for its answer.
        static_cast<void>(sendto(socket->get(), done.data(), done.size(), MSG_DONTWAIT,
                                 reinterpret_cast<const sockaddr*>(&to), size));
      };
    };
    return context_.handler.handle(
        {.message = {b.queries[i].data(), b.received[i].msg_len}, .client = *client, .tcp = false},
        response, statistics_, std::ref(later));
  }

  // What the kernel does not take is lost, as packets are: clients ask again.
  void send(const Socket& socket, size_t count) {
    mmsghdr* next = buffers_->sent.data();
    while (count > 0) {
      const int sent = sendmmsg(socket->get(), next, static_cast<unsigned>(count), 0);
      // One that cannot be sent does not keep back the others.
      const size_t done = sent > 0 ? static_cast<size_t>(sent) : 1;
      next += done;
      count -= done;
    }
  }

  const UdpServer& server_;
  const Context& context_;
  const std::vector<Socket> sockets_;
  Statistics& statistics_;
  const std::unique_ptr<udp_server::Buffers> buffers_;
};

Result<std::unique_ptr<UdpServer>> UdpServer::start(Context context) {
  std::unique_ptr<UdpServer> server(new UdpServer(std::move(context)));
  TRY(server->open());
  for (const std::vector<Socket>& sockets : server->sockets_) {
    server->threads_.emplace_back([&server = *server, sockets](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), "dns");
      Worker(server, sockets).run(stop);
    });
  }
  return server;
}

Result<void> UdpServer::open() {
  port_ = context_.port;
  for (size_t i = 0; i < context_.threads; ++i) {
    std::vector<Socket>& sockets = sockets_.emplace_back();
    for (const IpAddress& address : context_.addresses) {
      auto opened = TRY(open_udp(address, port_));
      sockets.push_back(std::make_shared<FileDescriptor>(std::move(opened)));
      if (port_ == 0) port_ = port_of(*sockets.back());
    }
  }
  return {};
}

UdpServer::~UdpServer() {
  for (std::jthread& thread : threads_) thread.request_stop();
  stop_.wake();
  threads_.clear();
}

}  // namespace proa::dns
