#include "cli/credentials/join_token.h"

#include <algorithm>

#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/certificate.h"
#include "crypto/digest.h"

namespace proa::cli {
namespace join_token {

constexpr std::string_view kFormat = "proa1";
constexpr std::string_view kIdLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr size_t kIdSize = 6;
constexpr size_t kSecretBytes = 16;
constexpr size_t kSecretSize = 2 * kSecretBytes;
constexpr size_t kHashSize = 2 * sizeof(crypto::Sha256Digest::bytes);

bool is_made_of(std::string_view text, size_t size, std::string_view letters) {
  return text.size() == size && text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_id(std::string_view text) { return is_made_of(text, kIdSize, kIdLetters); }

bool is_hex(std::string_view text, size_t size) {
  return is_made_of(text, size, "0123456789abcdef");
}

}  // namespace join_token

std::string JoinToken::str() const {
  return std::string(join_token::kFormat) + "." + bearer() + "." + authority_hash;
}

Result<JoinToken> JoinToken::parse(std::string_view text) {
  using namespace join_token;
  // Messages end up in logs and must not contain the token.
  const std::vector<std::string_view> parts = split(trim(text), '.');
  if (parts[0] != kFormat) {
    return Status(
        Reason::kInvalid,
        "not a join token: it must start with proa1.; create one with `proa token create`");
  }
  if (parts.size() != 4 || !is_id(parts[1]) || !is_hex(parts[2], kSecretSize) ||
      !is_hex(parts[3], kHashSize)) {
    return Status(Reason::kInvalid,
                  "malformed join token: it must have the form proa1.ID.SECRET.HASH, with 6, 32 "
                  "and 64 characters; copy it again, or create another with `proa token create`");
  }
  return JoinToken{std::string(parts[1]), std::string(parts[2]), std::string(parts[3])};
}

Result<JoinToken> make_join_token(Random& random, std::string_view authority_pem) {
  using namespace join_token;
  JoinToken token;
  token.authority_hash = TRY(public_key_hash(authority_pem));
  for (size_t i = 0; i < kIdSize; ++i) token.id += kIdLetters[random.below(kIdLetters.size())];
  unsigned char secret[kSecretBytes];
  random.fill(secret);
  token.secret = to_hex({reinterpret_cast<const char*>(secret), sizeof secret});
  return token;
}

Result<std::string> public_key_hash(std::string_view certificate_pem) {
  const crypto::Certificate certificate = TRY(crypto::Certificate::parse(certificate_pem));
  const crypto::PublicKey key = TRY(certificate.public_key());
  return crypto::sha256(key.der()).hex();
}

Result<std::string> token_id(std::string_view text) {
  text = trim(text);
  if (text.starts_with(std::string(join_token::kFormat) + ".")) {
    return TRY(JoinToken::parse(text)).id;
  }
  const std::string_view id = text.substr(0, text.find('.'));
  if (join_token::is_id(id)) return std::string(id);
  return Status(
      Reason::kInvalid,
      "not a token or a token ID (6 characters of a-z and 0-9); `proa token list` lists them");
}

}  // namespace proa::cli
