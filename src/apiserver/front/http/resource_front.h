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

// Serves resource requests over HTTP. Reads from memory are answered on the loop's thread; the rest
// runs on the pool.
class ResourceFront {
 public:
  // All arguments outlive it, and the pool is drained before it is destroyed. `connections`: to
  // nodes and pods; null: disabled.
  ResourceFront(const ApiContext& context, RequestMetrics& metrics, WorkerPool& pool,
                Connections* connections)
      : context_(context), metrics_(metrics), pool_(pool), connections_(connections) {}

  // `warnings` are added to the response. REQUIRES: `user` is authorized; a resource path.
  void handle(const HttpRequestPtr& request, const User& user, std::vector<std::string> warnings);

 private:
  // A counted request and the means to respond to it.
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
  // Runs the task on the pool; responds with 429 if the pool is full.
  void submit(const Reply& reply, std::function<Result<http::Response>()> task);

  const ApiContext& context_;
  RequestMetrics& metrics_;
  WorkerPool& pool_;
  Connections* const connections_;
};

}  // namespace proa::apiserver
