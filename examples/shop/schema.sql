CREATE TABLE IF NOT EXISTS orders (
	id           text   PRIMARY KEY,
	items        text[] NOT NULL,
	amount_cents bigint NOT NULL CHECK (amount_cents > 0),
	card         text   NOT NULL,
	state        text   NOT NULL DEFAULT 'placed'
);
