#include "http/net/resolve.h"

#include <uv.h>

#include <memory>

namespace proa::http {
namespace resolve_names {

struct Lookup {
  uv_getaddrinfo_t request{};
  std::string host;
  int port = 0;
  std::function<void(Result<std::vector<Endpoint>>)> done;
};

std::vector<Endpoint> endpoints(const addrinfo* found, int port) {
  std::vector<Endpoint> all;
  for (; found != nullptr; found = found->ai_next) {
    const std::string address = address_text(found->ai_addr);
    if (!address.empty()) all.push_back({address, port, {}});
  }
  return all;
}

Status not_found(const std::string& host, int error) {
  return {Reason::kServiceUnavailable, "looking up " + host + ": " + uv_strerror(error)};
}

}  // namespace resolve_names

void resolve(Loop& loop, const std::string& host, int port,
             std::function<void(Result<std::vector<Endpoint>>)> done) {
  if (to_socket_address({host, port, {}}).ok()) {
    loop.post([host, port, done = std::move(done)] {
      done(std::vector<Endpoint>{{host, port, {}}});
    });
    return;
  }
  auto lookup = std::make_unique<resolve_names::Lookup>();
  lookup->host = host;
  lookup->port = port;
  lookup->done = std::move(done);
  lookup->request.data = lookup.get();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const auto answered = [](uv_getaddrinfo_t* request, int status, addrinfo* found) {
    const std::unique_ptr<resolve_names::Lookup> owned(
        static_cast<resolve_names::Lookup*>(request->data));
    if (status != 0) return owned->done(resolve_names::not_found(owned->host, status));
    auto all = resolve_names::endpoints(found, owned->port);
    uv_freeaddrinfo(found);
    if (all.empty()) return owned->done(resolve_names::not_found(owned->host, UV_EAI_NONAME));
    owned->done(std::move(all));
  };
  const int result =
      uv_getaddrinfo(loop.raw(), &lookup->request, answered, host.c_str(), nullptr, &hints);
  if (result != 0) {
    loop.post([host, result, done = std::move(lookup->done)] {
      done(resolve_names::not_found(host, result));
    });
    return;
  }
  static_cast<void>(lookup.release());  // the callback owns it now
}

}  // namespace proa::http
