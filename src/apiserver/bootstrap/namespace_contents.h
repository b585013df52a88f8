#pragma once

#include <string>

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Creates the default service account and the root CA config map in the commit that creates a
// namespace. Upstream's controllers create them slightly later, and until then no pod can be
// created; ours only restore them after a deletion.
class NamespaceContents final : public WriteHook {
 public:
  // `root_authority_pem`: if empty, no config map is created.
  explicit NamespaceContents(std::string root_authority_pem)
      : root_authority_pem_(std::move(root_authority_pem)) {}
  // REQUIRES: called before the first write; the context outlives it.
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
