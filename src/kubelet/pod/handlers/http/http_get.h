#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "http/wire/message.h"

namespace proa::kubelet {

// What an HTTPGetAction asks for, with everything filled in.
struct HttpGet {
  bool tls = false;
  std::string host = {};  // a name or an address
  int port = 0;
  std::string target = "/";
  std::string host_field = {};  // of the request, where it is not host and port
  http::Headers headers = {};

  std::string url() const;  // "http://10.0.0.1:8080/healthz"
};

struct HttpAnswer {
  int status = 0;
  std::string body = {};  // its first ten kilobytes
};

// The number of a port that is given as a number or by its name among the container's ports.
Result<int> resolve_port(api::View port, api::View container);

// `action`: {host, port, path, scheme, httpHeaders}. `purpose` names us: "probe" in
// "User-Agent: kube-probe/1.36". Without a host: `pod_address`.
Result<HttpGet> make_http_get(api::View action, api::View container, std::string_view pod_address,
                              std::string_view purpose);

// The answer, whatever its code. Redirects to the same host are followed, up to ten; those to
// others are the answer. Certificates are not looked at: nobody told us whom to expect. A failure
// has Go's words: `Get "http://10.0.0.1:80/": dial tcp 10.0.0.1:80: connect: connection refused`.
// Not on a loop's thread.
Result<HttpAnswer> http_get(const HttpGet& request, const Clock& clock, const Until& until);

// Whether TLS failed because the other side speaks plain HTTP.
bool is_plain_answer_to_tls(const Status& failure);

}  // namespace proa::kubelet
