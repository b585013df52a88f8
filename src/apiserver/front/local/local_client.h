#pragma once

#include <memory>

#include "apiserver/request/request.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/clock.h"
#include "client/client.h"

namespace proa::apiserver {

// The API for components in the server's own process: no bytes are copied, and reads never wait.
// Objects are the very ones that the store holds, unless they are asked for in another version than
// the stored one.
class LocalClient final : public client::Client {
 public:
  // Everything outlives it. `user` is who acts.
  LocalClient(const ApiContext& context, Clock& clock, User user)
      : context_(context), clock_(clock), user_(std::move(user)) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override;
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override;
  // REQUIRES: watches go before the store does.
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override;
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override;
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override;
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override;
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override;
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices, const Until& until) override;

 private:
  // kNotFound or kMethodNotAllowed for what the API does not have.
  Result<Request> request(const client::Place& place, api::Verb verb, const Until& until) const;
  // kForbidden for what the user may not do.
  Result<Answer> run(Call call) const;
  Result<api::ObjectPtr> run_for_object(Call call) const;
  Result<api::ObjectPtr> write(Request request, Payload payload,
                               const client::WriteChoices& choices) const;

  const ApiContext& context_;
  Clock& clock_;
  const User user_;
};

}  // namespace proa::apiserver
