#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/front/http/gate.h"
#include "apiserver/front/http/http_request.h"
#include "apiserver/front/http/in_flight.h"
#include "apiserver/representation/encode.h"
#include "apiserver/request/request_metrics.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/threads/pool.h"

namespace proa::apiserver {

class Connections;

// Serves resource requests over HTTP. Reads from memory are answered on the loop's thread; the rest
// runs on the pool.
class ResourceFront {
 public:
  struct Pools {
    WorkerPool& workers;  // for what may block
    WorkerPool& readers;  // for what takes long; as many threads as there are processors
  };
  // All arguments outlive it, and the pools are drained before it is destroyed. `connections`: to
  // nodes and pods; null: disabled.
  ResourceFront(const ApiContext& context, RequestMetrics& metrics, InFlight& in_flight, Gate& gate,
                Pools pools, Connections* connections)
      : context_(context),
        metrics_(metrics),
        in_flight_(in_flight),
        gate_(gate),
        pools_(pools),
        connections_(connections) {}

  // `warnings` are added to the response. REQUIRES: `user` is authorized; a resource path.
  void handle(const HttpRequestPtr& request, UserPtr user, std::vector<std::string> warnings);

 private:
  // A counted request and the means to respond to it.
  struct Reply {
    HttpRequestPtr http;
    RequestMark mark;
    std::shared_ptr<Warnings> warnings;  // for the client, whatever the outcome

    void respond(http::Response response) const;
    void respond(Result<http::Response> response) const;
    void fail(const Status& status) const;
    // 429: the server has too much to do.
    void refuse() const;
    void refuse(http::Response response) const;
    // The client is gone.
    void abandon() const;
    // The body did not arrive.
    void fail_body(const Status& status) const;
  };

  void run(const Reply& reply, Request request);
  // Before it has asked for a seat.
  void fail_early(const Reply& reply, const User& user, const Status& status);
  // Runs it when it has its seats.
  template <typename Run>
  void pass(const Reply& reply, const UserPtr& user, const ResourcePtr& resource, Run run);
  // Answers a read from memory, once that has what the read promises to show.
  void answer(const Reply& reply, Call call, const Encoder& encoder);
  void watch(const Reply& reply, Call call, const Encoder& encoder);
  void read(const Reply& reply, Call call, const Encoder& encoder);
  void read_list(const Reply& reply, Call call, const Encoder& encoder);
  void send_list(const Reply& reply, Listed listed, const Encoder& encoder, bool exempt);
  void stream_list(const Reply& reply, Listed listed, const Encoder& encoder, bool exempt);
  void write(const Reply& reply, Request request, const Encoder& encoder);
  Result<http::Response> run_write(const Reply& reply, const Request& request,
                                   const Encoder& encoder, const Bytes& body);
  // How a request on the pool is limited.
  struct Work {
    InFlight::Kind kind = InFlight::Kind::kReadOnly;
    bool exempt = false;
    bool only_computes = false;  // and never waits for anybody
  };
  // Runs the task on the pool, unless the client has gone by then; responds with 429 if too much is
  // in progress.
  void submit(const Reply& reply, const Work& work, std::function<void()> task);

  const ApiContext& context_;
  RequestMetrics& metrics_;
  InFlight& in_flight_;
  Gate& gate_;
  const Pools pools_;
  Connections* const connections_;
};

}  // namespace proa::apiserver
