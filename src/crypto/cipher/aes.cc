#include "crypto/cipher/aes.h"

#include <array>
#include <limits>

#include "base/check.h"
#include "crypto/internal/openssl.h"

namespace proa::crypto {
namespace aes {

using ContextPointer = std::unique_ptr<EVP_CIPHER_CTX, openssl::Freed<EVP_CIPHER_CTX_free>>;

// Of the three key sizes. Looked up once: OpenSSL's own look-up costs more than a short text.
struct Ciphers {
  explicit Ciphers(const std::string& mode) {
    for (size_t i = 0; i < found.size(); ++i) {
      const std::string name = "AES-" + std::to_string(128 + 64 * i) + "-" + mode;
      found[i] = EVP_CIPHER_fetch(nullptr, name.c_str(), nullptr);
      CHECK(found[i] != nullptr);
    }
  }
  const EVP_CIPHER* of(std::string_view key) const {
    CHECK(is_aes_key_size(key.size()));
    return found[key.size() / 8 - 2];
  }

  std::array<EVP_CIPHER*, 3> found{};
};

const Ciphers& gcm() {
  static const Ciphers kCiphers("GCM");
  return kCiphers;
}

const Ciphers& cbc() {
  static const Ciphers kCiphers("CBC");
  return kCiphers;
}

enum class Direction : uint8_t { kDecrypt, kEncrypt };

ContextPointer begin(const EVP_CIPHER* cipher, std::string_view key, std::string_view iv,
                     Direction direction) {
  ContextPointer context(EVP_CIPHER_CTX_new());
  CHECK(context != nullptr &&
        EVP_CipherInit_ex2(context.get(), cipher, openssl::bytes_of(key),
                           iv.empty() ? nullptr : openssl::bytes_of(iv),
                           direction == Direction::kEncrypt ? 1 : 0, nullptr) == 1);
  return context;
}

int size_of(std::string_view text) {
  CHECK(text.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) - kAesBlockSize);
  return static_cast<int>(text.size());
}

void associate(EVP_CIPHER_CTX* context, std::string_view associated) {
  int unused = 0;
  CHECK(associated.empty() ||
        EVP_CipherUpdate(context, nullptr, &unused, openssl::bytes_of(associated),
                         size_of(associated)) == 1);
}

// Appends what becomes of the text, and returns where it begins.
unsigned char* append(EVP_CIPHER_CTX* context, std::string_view text, std::string& out) {
  const size_t begin = out.size();
  out.resize(begin + text.size());
  auto* to = reinterpret_cast<unsigned char*>(out.data() + begin);
  int size = 0;
  CHECK(text.empty() ||
        EVP_CipherUpdate(context, to, &size, openssl::bytes_of(text), size_of(text)) == 1);
  CHECK(size == size_of(text));
  return to;
}

void crypt_cbc(std::string_view key, std::string_view iv, std::string_view blocks,
               Direction direction, std::string& out) {
  CHECK(iv.size() == kAesBlockSize && blocks.size() % kAesBlockSize == 0);
  const ContextPointer context = begin(cbc().of(key), key, iv, direction);
  CHECK(EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1);
  append(context.get(), blocks, out);
}

// REQUIRES: a context to encrypt, with key and nonce.
void seal_gcm(EVP_CIPHER_CTX* context, std::string_view associated, std::string_view plain,
              std::string& out) {
  associate(context, associated);
  out.reserve(out.size() + plain.size() + kGcmTagSize);
  append(context, plain, out);
  int unused = 0;
  std::array<unsigned char, kGcmTagSize> tag;
  CHECK(EVP_CipherFinal_ex(context, tag.data(), &unused) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kGcmTagSize, tag.data()) == 1);
  out.append(reinterpret_cast<const char*>(tag.data()), tag.size());
}

}  // namespace aes

bool is_aes_key_size(size_t bytes) { return bytes == 16 || bytes == 24 || bytes == 32; }

void seal_aes_gcm(std::string_view key, std::string_view nonce, std::string_view associated,
                  std::string_view plain, std::string& out) {
  CHECK(nonce.size() == kGcmNonceSize);
  const aes::ContextPointer context =
      aes::begin(aes::gcm().of(key), key, nonce, aes::Direction::kEncrypt);
  aes::seal_gcm(context.get(), associated, plain, out);
}

AesGcmSealer::AesGcmSealer(std::string_view key)
    : prepared_(aes::begin(aes::gcm().of(key), key, {}, aes::Direction::kEncrypt)) {}

AesGcmSealer::~AesGcmSealer() = default;

AesGcmSealer::Context AesGcmSealer::take() {
  {
    MutexLock lock(mutex_);
    if (!unused_.empty()) {
      Context context = std::move(unused_.back());
      unused_.pop_back();
      return context;
    }
  }
  aes::ContextPointer made(EVP_CIPHER_CTX_new());
  CHECK(made != nullptr && EVP_CIPHER_CTX_copy(made.get(), prepared_.get()) == 1);
  return made;
}

void AesGcmSealer::give_back(Context context) {
  MutexLock lock(mutex_);
  unused_.push_back(std::move(context));
}

void AesGcmSealer::seal(std::string_view nonce, std::string_view associated, std::string_view plain,
                        std::string& out) {
  CHECK(nonce.size() == kGcmNonceSize);
  Context context = take();
  CHECK(EVP_CipherInit_ex2(context.get(), nullptr, nullptr, openssl::bytes_of(nonce), 1, nullptr) ==
        1);
  aes::seal_gcm(context.get(), associated, plain, out);
  give_back(std::move(context));
}

std::optional<std::string> open_aes_gcm(std::string_view key, std::string_view nonce,
                                        std::string_view associated, std::string_view sealed) {
  CHECK(nonce.size() == kGcmNonceSize);
  if (sealed.size() < kGcmTagSize) return std::nullopt;
  const aes::ContextPointer context =
      aes::begin(aes::gcm().of(key), key, nonce, aes::Direction::kDecrypt);
  aes::associate(context.get(), associated);
  std::string plain;
  aes::append(context.get(), sealed.substr(0, sealed.size() - kGcmTagSize), plain);
  std::string tag(sealed.substr(sealed.size() - kGcmTagSize));
  CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kGcmTagSize, tag.data()) == 1);
  int unused = 0;
  std::array<unsigned char, kAesBlockSize> end;
  if (EVP_CipherFinal_ex(context.get(), end.data(), &unused) != 1) {
    ERR_clear_error();
    return std::nullopt;
  }
  return plain;
}

void encrypt_aes_cbc(std::string_view key, std::string_view iv, std::string_view blocks,
                     std::string& out) {
  aes::crypt_cbc(key, iv, blocks, aes::Direction::kEncrypt, out);
}

std::string decrypt_aes_cbc(std::string_view key, std::string_view iv, std::string_view blocks) {
  std::string plain;
  aes::crypt_cbc(key, iv, blocks, aes::Direction::kDecrypt, plain);
  return plain;
}

}  // namespace proa::crypto
