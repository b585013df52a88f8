#pragma once

#include <memory>

#include "apiserver/front/audit/auditor.h"
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
  // All references outlive it. `user` performs the requests. They are audited like those of other
  // processes, except that they never wait for the audit; `auditor` may be null.
  LocalClient(const ApiContext& context, Clock& clock, User user,
              std::shared_ptr<audit::Auditor> auditor = nullptr)
      : context_(context),
        clock_(clock),
        user_(std::make_shared<const User>(std::move(user))),
        auditor_(std::move(auditor)) {}

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
  // Begins its audit. Null: none.
  std::shared_ptr<audit::Record> begin_audit(Call& call) const;
  Result<api::ObjectPtr> run_for_object(Call call) const;
  Result<api::ObjectPtr> write(Request request, Payload payload,
                               const client::WriteChoices& choices) const;

  const ApiContext& context_;
  Clock& clock_;
  const UserPtr user_;
  const std::shared_ptr<audit::Auditor> auditor_;
};

}  // namespace proa::apiserver
