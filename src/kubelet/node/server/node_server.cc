#include "kubelet/node/server/node_server.h"

#include <optional>
#include <stop_token>

#include "api/object/edit.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads/guarded.h"
#include "base/threads/pool.h"
#include "http/forward/forward.h"
#include "json/print.h"
#include "kubelet/node/server/configz.h"
#include "kubelet/node/server/log_stream.h"
#include "kubelet/node/server/node_access.h"
#include "kubelet/node/server/node_metrics.h"
#include "kubelet/node/server/stream_request.h"
#include "kubelet/node/server/system_logs.h"
#include "kubelet/node/server/tunnel.h"
#include "kubelet/runtime/logs/log_source.h"

namespace proa::kubelet {
namespace node_server {

const Log kLog{"kubelet"};

// For an answer of the runtime, and for its streaming server to switch protocols.
constexpr Duration kPatience = std::chrono::seconds(30);

// A followed log occupies a thread as long as it is read: such threads are counted separately, so
// that log readers cannot block other requests.
constexpr WorkerPool::Options kLogReaders{.max_threads = 1024, .max_queued = 1024};

http::Response answer_of(int status, std::string_view type, std::string body) {
  http::Response response;
  response.status = status;
  response.headers = {{"content-type", std::string(type)}, {"x-content-type-options", "nosniff"}};
  response.body = Bytes(std::move(body));
  return response;
}

// In plain words, as upstream's kubelet does; the API server passes them on.
http::Response refusal(const Status& why) {
  return answer_of(why.code(), "text/plain; charset=utf-8", why.message());
}

constexpr int64_t kMaxPort = 65535;

// "containerd://abc" is abc.
std::string bare_id(std::string_view id) {
  const size_t scheme = id.find("://");
  return std::string(scheme == std::string_view::npos ? id : id.substr(scheme + 3));
}

// A request under way, with its path split.
struct Request {
  http::ExchangePtr exchange;
  http::Target target;

  std::string_view part(size_t index) const {
    return index < target.segments.size() ? std::string_view(target.segments[index])
                                          : std::string_view();
  }
};

// The pod, and perhaps the container, that a path names: /exec/NAMESPACE/POD[/UID]/CONTAINER.
struct Subject {
  std::string name_space = {};
  std::string pod = {};
  api::Uid uid = {};
  std::string container = {};
};

Result<Subject> subject_of(const Request& request, bool names_container) {
  const std::vector<std::string>& parts = request.target.segments;
  const size_t least = names_container ? 4 : 3;
  if (parts.size() != least && parts.size() != least + 1) {
    return Status(Reason::kNotFound, "404: Page Not Found");
  }
  Subject subject{.name_space = parts[1], .pod = parts[2]};
  if (parts.size() > least) subject.uid = api::Uid(parts[3]);
  if (names_container) subject.container = parts.back();
  return subject;
}

class Server final : public NodeServer {
 public:
  Server(Context context, std::unique_ptr<NodeAccess> access)
      : context_(std::move(context)), access_(std::move(access)) {}
  ~Server() override { stopping_.request_stop(); }

  void handle(http::ExchangePtr exchange) override {
    const bool taken = pool_.submit([this, exchange] {
      const Result<void> done = guarded([&] { work(exchange); });
      if (!done) exchange->abort();
    });
    if (!taken)
      exchange->respond(
          refusal(Status(Reason::kServiceUnavailable, "too many concurrent requests")));
  }

 private:
  Until patience() const { return Until::after(context_.clock, kPatience, stopping_.get_token()); }

  void work(const http::ExchangePtr& exchange) {
    Result<http::Target> target = http::parse_target(exchange->request().target);
    if (!target) return exchange->respond(refusal(target.status()));
    const Request request{exchange, std::move(*target)};
    if (const Result<void> allowed = check_access(request); !allowed) {
      return exchange->respond(refusal(allowed.status()));
    }
    if (const Result<void> answered = answer(request); !answered) {
      exchange->respond(refusal(answered.status()));
    }
  }

  Result<void> check_access(const Request& request) {
    const http::RequestHead& head = request.exchange->request();
    const Result<Caller> caller = access_->authenticate(request.exchange->peer().certificates,
                                                        head.headers.get("authorization"));
    if (!caller) {
      if (!caller.is(Reason::kUnauthorized)) {
        kLog.warn("authentication failed", {{"error", caller.status()}});
      }
      return Status(Reason::kUnauthorized, "Unauthorized");
    }
    const RequestAccess wanted = access_for(head.method, "/" + joined_path(request));
    const Result<bool> allowed = access_->authorize(*caller, wanted);
    const std::string who = "(user=" + caller->name + ", verb=" + wanted.verb + ", resource=nodes";
    if (!allowed) {
      kLog.warn("authorization failed", {{"error", allowed.status()}});
      return Status(Reason::kInternalError, "Authorization error " + who + ", subresource=" +
                                                wanted.subresources.front() + ")");
    }
    if (!*allowed) {
      return Status(Reason::kForbidden,
                    "Forbidden " + who + ", subresource(s)=" + listed(wanted) + ")\n");
    }
    return {};
  }

  // The path that is routed is the path that is judged, however it was written.
  static std::string joined_path(const Request& request) {
    std::string path;
    for (const std::string& segment : request.target.segments) {
      if (!path.empty()) path += '/';
      path += segment;
    }
    return path;
  }
  static std::string listed(const RequestAccess& wanted) {
    std::string text = "[";
    for (const std::string& subresource : wanted.subresources) {
      if (text.size() > 1) text += ' ';
      text += subresource;
    }
    return text + "]";
  }

  Result<void> answer(const Request& request) {
    struct Route {
      std::string_view path;
      bool streams;  // also accepts POST
      Result<void> (Server::*answer)(const Request&);
    };
    static constexpr Route kRoutes[] = {
        {"healthz", false, &Server::answer_healthz},
        {"pods", false, &Server::answer_pods},
        {"configz", false, &Server::answer_configz},
        {"metrics", false, &Server::answer_metrics},
        {"containerLogs", false, &Server::answer_log},
        {"logs", false, &Server::answer_system_log},
        {"exec", true, &Server::answer_exec},
        {"attach", true, &Server::answer_attach},
        {"portForward", true, &Server::answer_port_forward},
        {"tunnel", true, &Server::answer_tunnel},
    };
    const std::string& method = request.exchange->request().method;
    for (const Route& route : kRoutes) {
      if (request.part(0) != route.path) continue;
      if (method != "GET" && !(route.streams && method == "POST")) {
        return Status(Reason::kMethodNotAllowed, "405: Method Not Allowed");
      }
      return (this->*route.answer)(request);
    }
    return Status(Reason::kNotFound, "404 page not found\n");
  }

  // Nothing is below that path.
  static Result<void> check_no_more(const Request& request) {
    const size_t parts = request.target.segments.size();
    if (parts == 1 || (parts == 2 && request.part(1).empty())) return {};
    return Status(Reason::kNotFound, "404 page not found\n");
  }

  Result<void> answer_healthz(const Request& request) {
    const std::string_view check = request.part(1);
    const bool known = request.target.segments.size() <= 2 &&
                       (check.empty() || check == "ping" || check == "log" || check == "syncloop");
    if (!known) return Status(Reason::kNotFound, "404 page not found\n");
    const bool asks_all = check.empty();
    if ((asks_all || check == "syncloop") && context_.healthy) {
      const Result<void> healthy = context_.healthy();
      if (!healthy) {
        kLog.warn("health check failed", {{"error", healthy.status()}});
        if (!asks_all) {
          return Status(Reason::kInternalError,
                        "internal server error: " + healthy.status().message() + "\n");
        }
        return Status(Reason::kInternalError,
                      "[+]ping ok\n[+]log ok\n[-]syncloop failed: reason withheld\n"
                      "healthz check failed\n");
      }
    }
    request.exchange->respond(answer_of(200, "text/plain; charset=utf-8", "ok"));
    return {};
  }

  Result<void> answer_configz(const Request& request) {
    TRY(check_no_more(request));
    request.exchange->respond(answer_of(200, "application/json", configz_json(context_.options)));
    return {};
  }

  Result<void> answer_metrics(const Request& request) {
    TRY(check_no_more(request));
    const std::vector<cri::Sandbox> sandboxes = TRY(context_.runtime.sandboxes({}, patience()));
    const std::vector<cri::Container> containers = TRY(context_.runtime.containers({}, patience()));
    request.exchange->respond(answer_of(200, "text/plain; version=0.0.4; charset=utf-8",
                                        node_metrics(context_.options.node_name.str(),
                                                     context_.pods.all(), sandboxes, containers)));
    return {};
  }

  Result<void> answer_pods(const Request& request) {
    TRY(check_no_more(request));
    std::string body = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)";
    bool first = true;
    for (const PodPtr& pod : context_.pods.all()) {
      json::Document document = TRY(pod->object()->document());
      const std::shared_ptr<const json::Document> status = context_.pods.status(*pod);
      const api::Edit edit(document);
      if (status != nullptr) edit.copy("status", status->root());
      // Items of a list have no kind and apiVersion.
      edit.remove("kind");
      edit.remove("apiVersion");
      if (!std::exchange(first, false)) body += ',';
      json::print_to(body, document.root());
    }
    request.exchange->respond(answer_of(200, "application/json", body + "]}"));
    return {};
  }

  Result<void> answer_log(const Request& request) {
    if (request.target.segments.size() != 4) {
      return Status(Reason::kNotFound, "404: Page Not Found");
    }
    const std::string name(request.part(2));
    const std::string container(request.part(3));
    const LogQuery query = TRY(read_log_query(request.target, context_.clock.now()));
    const PodPtr pod = context_.pods.find(request.part(1), name);
    if (pod == nullptr) return Status(Reason::kNotFound, "pod \"" + name + "\" does not exist");
    if (!find_container(*pod, container)) {
      return Status(Reason::kNotFound,
                    "container \"" + container + "\" not found in pod \"" + name + "\"");
    }
    const std::shared_ptr<const json::Document> status = context_.pods.status(*pod);
    const std::string id =
        TRY(log_source(status != nullptr ? api::View(status->root()) : pod->status(), pod->name(),
                       container, query.previous));
    Result<std::unique_ptr<LogText>> log =
        context_.open_log({.pod = pod, .container = container, .container_id = bare_id(id)}, query);
    if (!log) return Status(Reason::kBadRequest, log.status().message());
    return send(request, std::move(*log));
  }

  // /logs/PATH: of the machine. A folder's path ends in "/", so that its links lead into it.
  Result<void> answer_system_log(const Request& request) {
    const std::vector<std::string>& parts = request.target.segments;
    SystemLog log = TRY(open_system_log(context_.options.system_logs, std::span(parts).subspan(1)));
    if (log.file != nullptr) return send(request, std::move(log.file));
    http::Response response = answer_of(200, "text/html; charset=utf-8", std::move(log.page));
    if (parts.size() == 1 || !parts.back().empty()) {
      response = answer_of(301, "text/plain", "");
      response.headers.add("location", http::percent_encode(parts.back()) + "/");
    }
    request.exchange->respond(std::move(response));
    return {};
  }

  Result<void> send(const Request& request, std::unique_ptr<LogText> log) {
    const bool taken = log_readers_.submit(
        [this, exchange = request.exchange, text = std::shared_ptr<LogText>(std::move(log))] {
          send_log(exchange, *text, stopping_.get_token());
        });
    if (!taken) return Status(Reason::kServiceUnavailable, "too many concurrent log requests");
    return {};
  }

  // The pod of a path. Its uid is only there to make sure.
  Result<PodPtr> pod_of(const Subject& subject) {
    PodPtr pod = context_.pods.find(subject.name_space, subject.pod);
    if (pod == nullptr) return Status(Reason::kNotFound, "pod does not exist");
    const bool other = !subject.uid.empty() && subject.uid != pod->uid() &&
                       subject.uid != pod->object()->metadata().uid;
    if (other) return Status(Reason::kNotFound, "pod not found");
    return pod;
  }

  // The id of the container of that name that runs; empty when none does.
  Result<std::string> running_container(const Pod& pod, const std::string& name) {
    const std::vector<cri::Container> all =
        TRY(context_.runtime.containers({.pod_uid = pod.uid()}, patience()));
    const cri::Container* newest = nullptr;
    for (const cri::Container& container : all) {
      const bool fits = container.name == name && container.state == cri::ContainerState::kRunning;
      if (fits && (newest == nullptr || newest->created < container.created)) newest = &container;
    }
    return newest == nullptr ? std::string() : newest->id;
  }

  Result<void> answer_exec(const Request& request) {
    const cri::StreamChoices choices = TRY(read_stream_choices(request.target));
    const Subject subject = TRY(subject_of(request, true));
    const PodPtr pod = TRY(pod_of(subject));
    TRY(check_protocol(request.exchange->request()));
    const std::string id = TRY(running_container(*pod, subject.container));
    if (id.empty()) {
      return Status(Reason::kInternalError, "container not found (\"" + subject.container + "\")");
    }
    std::vector<std::string> command;
    for (const auto& [name, value] : request.target.query) {
      if (name == "command") command.push_back(value);
    }
    const std::string url = TRY(context_.runtime.exec_url(id, command, choices, patience()));
    return stream(request, url);
  }

  Result<void> answer_attach(const Request& request) {
    cri::StreamChoices choices = TRY(read_stream_choices(request.target));
    const Subject subject = TRY(subject_of(request, true));
    const PodPtr pod = TRY(pod_of(subject));
    TRY(check_protocol(request.exchange->request()));
    const std::string id = TRY(running_container(*pod, subject.container));
    const std::optional<ContainerSpec> spec = find_container(*pod, subject.container);
    if (id.empty() || !spec) {
      return Status(Reason::kInternalError,
                    "container " + subject.container + " not found in pod " + pod->full_name());
    }
    // Whether there is a terminal was decided when it was started.
    choices.tty = spec->view["tty"].flag();
    if (choices.tty) choices.errors = false;
    const std::string url = TRY(context_.runtime.attach_url(id, choices, patience()));
    return stream(request, url);
  }

  Result<void> answer_port_forward(const Request& request) {
    const Subject subject = TRY(subject_of(request, false));
    const http::RequestHead& head = request.exchange->request();
    TRY(check_protocol(head));
    const std::vector<int32_t> ports = TRY(read_ports(request.target, head));
    const PodPtr pod = TRY(pod_of(subject));
    const std::vector<cri::Sandbox> sandboxes =
        TRY(context_.runtime.sandboxes(pod->uid(), patience()));
    const cri::Sandbox* newest = nullptr;
    for (const cri::Sandbox& sandbox : sandboxes) {
      if (sandbox.state != cri::SandboxState::kReady) continue;
      if (newest == nullptr || newest->created < sandbox.created) newest = &sandbox;
    }
    if (newest == nullptr) {
      return Status(Reason::kInternalError, "pod not found (\"" + pod->full_name() + "\")");
    }
    const std::string url = TRY(context_.runtime.port_forward_url(newest->id, ports, patience()));
    return stream(request, url);
  }

  // /tunnel/NAMESPACE/POD/PORT: for an API server that has no route to pods.
  Result<void> answer_tunnel(const Request& request) {
    const std::optional<int64_t> port = parse_int(request.part(3));
    if (request.target.segments.size() != 4 || !port || *port < 1 || *port > kMaxPort) {
      return Status(Reason::kBadRequest, "the path is /tunnel/NAMESPACE/POD/PORT");
    }
    if (!request.exchange->request().headers.has_token("upgrade", kTunnelProtocol)) {
      return Status(Reason::kBadRequest, "a tunnel begins with an Upgrade to tcp");
    }
    const PodPtr pod = context_.pods.find(request.part(1), request.part(2));
    // Not "not found", which means that a kubelet has no tunnels.
    if (pod == nullptr) return Status(Reason::kServiceUnavailable, "pod does not exist");
    const std::shared_ptr<const json::Document> status = context_.pods.status(*pod);
    const api::View known = status != nullptr ? api::View(status->root()) : pod->status();
    const std::optional<IpAddress> address = parse_ip(known["podIP"].text());
    if (!address) return Status(Reason::kServiceUnavailable, "pod has no address");
    request.exchange->loop().post([exchange = request.exchange, &client = context_.http,
                                   address = *address, port = static_cast<int>(*port)] {
      open_tunnel(exchange, client, address, port, refusal);
    });
    return {};
  }

  Result<void> stream(const Request& request, const std::string& url) {
    http::ClientRequest made = TRY(runtime_request(url, request.exchange->request()));
    http::ExchangePtr exchange = request.exchange;
    exchange->loop().post([exchange, &client = context_.http, made = std::move(made)]() mutable {
      http::forward_upgrade(exchange, client, std::move(made),
                            {.failed = refusal, .upgrade_timeout = kPatience});
    });
    return {};
  }

  const Context context_;
  const std::unique_ptr<NodeAccess> access_;
  std::stop_source stopping_;
  WorkerPool log_readers_{kLogReaders};
  WorkerPool pool_;  // last: its destruction waits for threads that use the others
};

}  // namespace node_server

Result<std::unique_ptr<NodeServer>> NodeServer::make(Context context) {
  std::unique_ptr<NodeAccess> access = TRY(NodeAccess::make(
      {context.client, context.clock, context.shutdown}, context.schema, context.clock,
      context.random, context.options.node_name, context.client_authority_pem));
  return std::unique_ptr<NodeServer>(
      std::make_unique<node_server::Server>(std::move(context), std::move(access)));
}

}  // namespace proa::kubelet
