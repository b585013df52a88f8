#include "cli/credentials/service_account_key.h"

#include "apiserver/access/tokens/keys.h"

namespace proa::cli {
namespace service_account_key {

constexpr size_t kMaxFile = 64 * 1024;

}  // namespace service_account_key

Result<std::string> ensure_service_account_key(Files& files, const std::string& directory) {
  const std::string base = directory + "/service-account";
  Result<std::string> found = files.read_file(base + ".key", service_account_key::kMaxFile);
  if (!found && !found.is(Reason::kNotFound)) return found;
  if (!found) {
    const apiserver::TokenKeyText made = apiserver::make_token_key();
    TRY(files.write_file_atomic(base + ".key", made.private_key, 0600));
    TRY(files.write_file_atomic(base + ".pub", made.public_key, 0644));
    return made.private_key;
  }
  const auto key = apiserver::TokenKey::read(*found);
  if (!key) return key.status().in(base + ".key");
  if (!(*key)->can_sign()) return Status(Reason::kInvalid, base + ".key is not a private key");
  const bool published = TRY(files.exists(base + ".pub"));
  if (!published) TRY(files.write_file_atomic(base + ".pub", (*key)->public_key().pem(), 0644));
  return found;
}

}  // namespace proa::cli
