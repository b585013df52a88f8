#pragma once

#include <string>

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// What every namespace has comes with it, in its own commit: the service account "default", and the
// config map that says whom to trust. Upstream's controllers add them a little later, and until
// then no pod can be made; ours put them back when somebody deletes them.
class NamespaceContents final : public WriteHook {
 public:
  // `root_authority_pem`: empty: there is no such config map.
  explicit NamespaceContents(std::string root_authority_pem)
      : root_authority_pem_(std::move(root_authority_pem)) {}
  // Before it is used. REQUIRES: the context outlives it.
  void use(const ApiContext& context) { context_ = &context; }

  bool concerns(const api::Resource& resource) const override;
  Result<void> on_write(api::Edit object, const Step& step) override;
  Result<void> on_delete(api::View, const Step&) override { return {}; }

 private:
  Result<void> add(std::string_view resource, std::string_view name_space, json::Document document,
                   store::Txn& txn) const;

  const std::string root_authority_pem_;
  const ApiContext* context_ = nullptr;
};

}  // namespace proa::apiserver
