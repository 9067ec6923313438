package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const mostListing = 1 << 20 // bytes

// Models asks the server which models it has. No text leaves for it.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.at.path("models"), nil)
	if err != nil {
		return nil, fmt.Errorf("ask the model's server: %w", err)
	}
	if c.at.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.at.Key)
	}
	res, err := c.o.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the model's server: %w", err)
	}
	defer res.Body.Close() // only read
	if res.StatusCode != http.StatusOK {
		return nil, refusal(res, c.at.Key)
	}
	var told struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, mostListing))
	if err != nil {
		return nil, fmt.Errorf("ask the model's server: %w", err)
	}
	if err := json.Unmarshal(b, &told); err != nil {
		return nil, &AnswerError{What: "it is no list of models", Cause: shape(err)}
	}
	names := make([]string, 0, len(told.Data))
	for _, m := range told.Data {
		names = append(names, m.ID)
	}
	return names, nil
}
