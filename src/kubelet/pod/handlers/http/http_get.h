#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/wire/message.h"

namespace proa::kubelet {

// The request of an HTTPGetAction, with all defaults applied.
struct HttpGet {
  bool tls = false;
  std::string host = {};  // a name or an address
  int port = 0;
  std::string target = "/";
  std::string host_field = {};  // the Host header, if it differs from host and port
  http::Headers headers = {};

  std::string url() const;  // "http://10.0.0.1:8080/healthz"
};

struct HttpAnswer {
  int status = 0;
  std::string body = {};  // its first ten kilobytes
};

// Resolves a port number or the name of a container port.
Result<int> resolve_port(api::View port, api::View container);

// `action`: {host, port, path, scheme, httpHeaders}. `purpose`: "probe" in "User-Agent:
// kube-probe/1.36". Without a host: `pod_address`.
Result<HttpGet> make_http_get(api::View action, api::View container, std::string_view pod_address,
                              std::string_view purpose);

// The response, whatever its code. Up to ten redirects to the same host are followed; a redirect to
// another host is the response. Certificates are not verified: no CA is configured for probes.
// Failures have Go's words: `Get "http://10.0.0.1:80/": dial tcp 10.0.0.1:80: connect: connection
// refused`. Not on a loop's thread.
Result<HttpAnswer> http_get(const HttpGet& request, const Clock& clock, const Until& until);

// Whether TLS failed because the server speaks plain HTTP.
bool is_plain_answer_to_tls(const Status& failure);

}  // namespace proa::kubelet
