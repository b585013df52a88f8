// A KMS v2 plugin with upstream's gRPC service, for tests of encryption at rest.
//
//	kms-plugin SOCKET FOLDER
//
// FOLDER/key has the id of the key that encrypts; another id is a rotation. FOLDER/healthz, if it exists, is what the plugin says
// of its health. Both are read at every call.
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/kms/pkg/service"
)

const annotation = "id.kms-plugin.example"

type plugin struct {
	folder string
}

func (p plugin) read(name, fallback string) string {
	text, err := os.ReadFile(filepath.Join(p.folder, name))
	if err != nil {
		return fallback
	}
	return strings.TrimSpace(string(text))
}

// Keys come from their ids, so that a plugin that is started again knows them.
func cipherOf(id string) (cipher.AEAD, error) {
	key := sha256.Sum256([]byte("kms-plugin " + id))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func (p plugin) Status(context.Context) (*service.StatusResponse, error) {
	return &service.StatusResponse{Version: "v2", Healthz: p.read("healthz", "ok"), KeyID: p.read("key", "1")}, nil
}

func (p plugin) Encrypt(_ context.Context, uid string, data []byte) (*service.EncryptResponse, error) {
	if uid == "" {
		return nil, fmt.Errorf("a request without uid")
	}
	id := p.read("key", "1")
	sealer, err := cipherOf(id)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, sealer.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return &service.EncryptResponse{
		Ciphertext:  sealer.Seal(nonce, nonce, data, nil),
		KeyID:       id,
		Annotations: map[string][]byte{annotation: []byte(id)},
	}, nil
}

func (p plugin) Decrypt(_ context.Context, uid string, request *service.DecryptRequest) ([]byte, error) {
	if uid == "" || string(request.Annotations[annotation]) != request.KeyID {
		return nil, fmt.Errorf("a request without uid or annotations")
	}
	opener, err := cipherOf(request.KeyID)
	if err != nil {
		return nil, err
	}
	if len(request.Ciphertext) < opener.NonceSize() {
		return nil, fmt.Errorf("the ciphertext is too short")
	}
	return opener.Open(nil, request.Ciphertext[:opener.NonceSize()], request.Ciphertext[opener.NonceSize():], nil)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kms-plugin SOCKET FOLDER")
		os.Exit(2)
	}
	// A killed plugin leaves its socket.
	os.Remove(os.Args[1])
	err := service.NewGRPCService(os.Args[1], 5*time.Second, plugin{os.Args[2]}).ListenAndServe()
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
