#pragma once

#include "apiserver/representation/encode.h"
#include "apiserver/request/request_metrics.h"
#include "apiserver/request/route.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/threads/pool.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

class Connections;

// Requests for resources by HTTP. What memory can answer is answered on the loop's thread; the rest
// goes to the pool.
class ResourceFront {
 public:
  // Everything outlives it, and the pool is empty before it goes.
  // `connections`: to nodes and pods; null: there are none.
  ResourceFront(const ApiContext& context, RequestMetrics& metrics, WorkerPool& pool,
                Connections* connections)
      : context_(context), metrics_(metrics), pool_(pool), connections_(connections) {}

  // `route` looks into `target`. `warnings` go with the answer.
  void handle(const http::ExchangePtr& exchange, const http::Target& target, const Route& route,
              const User& user, const std::vector<std::string>& warnings);

 private:
  // A request that is counted, from here to its answer.
  struct Call {
    http::ExchangePtr exchange;
    RequestMark mark;
    std::vector<std::string> warnings;

    void respond(http::Response response) const;
    void respond(const Result<http::Response>& response) const;
    void fail(const Status& status) const;
  };

  Result<Request> resolve(std::string_view method, const http::Target& target, const Route& route,
                          const User& user) const;
  void run(const Call& call, Request request, const http::Target& target);
  void read(const Call& call, const Request& request, const http::Target& target,
            const Encoder& encoder);
  void stream_list(const Call& call, Listed listed, const Encoder& encoder);
  void write(const Call& call, Request request, const Encoder& encoder);
  static void refuse(const Call& call);
  // Runs it on the pool, or says that there is too much to do.
  void submit(const Call& call, std::function<Result<http::Response>()> task);

  const ApiContext& context_;
  RequestMetrics& metrics_;
  WorkerPool& pool_;
  Connections* const connections_;
};

}  // namespace proa::apiserver
