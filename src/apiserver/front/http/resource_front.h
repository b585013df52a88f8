#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/front/http/http_request.h"
#include "apiserver/representation/encode.h"
#include "apiserver/request/request_metrics.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/threads/pool.h"

namespace proa::apiserver {

class Connections;

// Requests for resources by HTTP. Whatever memory can answer is answered on the loop's thread; the
// rest goes to the pool.
class ResourceFront {
 public:
  // Everything outlives it, and the pool is empty before it goes.
  // `connections`: to nodes and pods; null: there are none.
  ResourceFront(const ApiContext& context, RequestMetrics& metrics, WorkerPool& pool,
                Connections* connections)
      : context_(context), metrics_(metrics), pool_(pool), connections_(connections) {}

  // `user` may make this request. `warnings` go with the answer. REQUIRES: a path of a resource.
  void handle(const HttpRequestPtr& request, const User& user, std::vector<std::string> warnings);

 private:
  // A counted request on its way to its answer.
  struct Reply {
    HttpRequestPtr http;
    RequestMark mark;
    std::vector<std::string> warnings;

    void respond(http::Response response) const;
    void respond(const Result<http::Response>& response) const;
    void fail(const Status& status) const;
  };

  void run(const Reply& reply, Request request);
  void watch(const Reply& reply, Call call, const Encoder& encoder);
  void read(const Reply& reply, Call call, const Encoder& encoder);
  void send_list(const Reply& reply, Listed listed, const Encoder& encoder);
  void stream_list(const Reply& reply, Listed listed, const Encoder& encoder);
  void write(const Reply& reply, Request request, const Encoder& encoder);
  // Runs it on the pool, or refuses it when there is too much to do.
  void submit(const Reply& reply, std::function<Result<http::Response>()> task);

  const ApiContext& context_;
  RequestMetrics& metrics_;
  WorkerPool& pool_;
  Connections* const connections_;
};

}  // namespace proa::apiserver
