#pragma once

#include <memory>

#include "apiserver/request/request.h"
#include "apiserver/resources/call/call.h"
#include "apiserver/resources/call/context.h"
#include "base/clock.h"
#include "client/client.h"

namespace proa::apiserver {

// In-process client: no bytes are copied, and reads never block. Objects are those that the store
// holds, unless requested in a version other than the stored one.
class LocalClient final : public client::Client {
 public:
  // All arguments outlive it. `user` performs the requests.
  LocalClient(const ApiContext& context, Clock& clock, User user)
      : context_(context), clock_(clock), user_(std::make_shared<const User>(std::move(user))) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override;
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override;
  // REQUIRES: watches are destroyed before the store.
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
  // Fails with kNotFound or kMethodNotAllowed.
  Result<Request> request(const client::Place& place, api::Verb verb, const Until& until) const;
  // Fails with kForbidden if the user is not authorized.
  Result<Answer> run(Call call) const;
  Result<api::ObjectPtr> run_for_object(Call call) const;
  Result<api::ObjectPtr> write(Request request, Payload payload,
                               const client::WriteChoices& choices) const;

  const ApiContext& context_;
  Clock& clock_;
  const UserPtr user_;
};

}  // namespace proa::apiserver
