#include "cli/scheduler/explain_path.h"

#include "client/bounded_client.h"

#include "api/schema/builtin.h"
#include "apiserver/front/paths/path_handler.h"
#include "apiserver/representation/status.h"
#include "cli/command_line/output.h"
#include "cli/scheduler/server_scheduler.h"
#include "scheduler/explain/explain.h"
#include "scheduler/explain/show.h"

namespace proa::cli {
namespace explain_paths {

constexpr std::string_view kPrefix = "/debug/proa/explain-pending/";

struct Asked {
  std::string name_space;
  std::string name;
  std::string output;
};

Result<Asked> read(const http::RequestHead& head, const http::Target& target) {
  if (head.method != "GET") {
    return Status(Reason::kMethodNotAllowed, "only GET is allowed");
  }
  if (target.segments.size() != 5) {
    return Status(Reason::kNotFound, "the path is " + std::string(kPrefix) + "NAMESPACE/NAME");
  }
  const std::string* output = target.find("output");
  Asked asked{target.segments[3], target.segments[4], output == nullptr ? "json" : *output};
  for (const std::string_view known : {"text", "json", "yaml"}) {
    if (asked.output == known) return asked;
  }
  return Status(Reason::kBadRequest, "output is text, json or yaml, not " + asked.output);
}

struct Context {
  apiserver::ApiServer& api;
  Clock& clock;
  Random& random;
  scheduler::SchedulerConfig config;
};

Result<http::Response> answer(const Context& context, const http::RequestHead& head,
                              const http::Target& target, const apiserver::User& user) {
  const Asked asked = TRY(read(head, target));
  // Besides access to the path, the caller needs read access to the pod.
  TRY(context.api.client(user)->get(
      {.resource = api::builtin_schema().find_resource("", "v1", "pods"),
       .name_space = asked.name_space,
       .name = asked.name,
       .subresource = {}},
      Until::after(context.clock, client::BoundedClient::kTimeout)));
  const std::unique_ptr<client::Client> client = context.api.client(scheduler_identity());
  WorkerPool pool({.max_threads = 0});
  const scheduler::Explanation explanation =
      TRY(scheduler::explain({.client = *client,
                              .schema = api::builtin_schema(),
                              .clock = context.clock,
                              .random = context.random,
                              .pool = pool},
                             context.config, asked.name_space, asked.name));
  if (asked.output == "text") {
    return apiserver::text_response(200, scheduler::show_text(explanation));
  }
  std::string text = format_value(scheduler::show_json(explanation).root(), asked.output);
  if (asked.output == "yaml") return apiserver::text_response(200, std::move(text));
  return apiserver::json_response(200, Bytes(std::move(text)));
}

}  // namespace explain_paths

apiserver::ExtraPath explain_path(apiserver::ApiServer& api, Clock& clock, Random& random,
                                  scheduler::SchedulerConfig config) {
  return {.prefix = std::string(explain_paths::kPrefix),
          .answer = [context = explain_paths::Context{api, clock, random, std::move(config)}](
                        const http::RequestHead& head, const http::Target& target,
                        const apiserver::User& user) {
            Result<http::Response> answered = explain_paths::answer(context, head, target, user);
            if (answered) return std::move(*answered);
            return apiserver::status_response(answered.status(), head.headers.get("accept"));
          }};
}

}  // namespace proa::cli
